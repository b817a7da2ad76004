/// The memory that a receiver keeps of something that a sender sent, so that it is taken once.
///
/// Receipts belong to a store as it is: one that an older content was restored into has none, for what
/// was acknowledged since is not in it. No receipt is exported.
public struct Receipt: Hashable, Sendable {
  /// Who sent it: `noop/<installation>/<device>`.
  public var sender: String
  /// The name among all that the sender sent: the id of a batch.
  public var name: String
  /// Whose values the sender sends; empty where each value says, or evidence.
  public var patient: String
  /// The mark that tells it from another one of its name: the digest of its bytes.
  public var mark: String
  /// The bytes that are kept until the rest of it comes.
  public var content: [UInt8]

  /// Makes a receipt.
  public init(
    sender: String, name: String, patient: String?, mark: String, content: [UInt8] = []
  ) {
    (self.sender, self.name, self.patient) = (sender, name, patient ?? "")
    (self.mark, self.content) = (mark, content)
  }
}
