package import Care
import Foundation
import PrivateFiles
import Synchronization

extension SQLStore {
  /// The end of a store's path for the file of the keys and consent codes of devices.
  public static let secretsSuffix = ".secrets"

  /// Keeps secrets that another process hands over, which may use the store and not write them.
  ///
  /// - Throws: `StoreError.refused(_:)` if this process may not write them either,
  ///   `StoreError.notWritten(_:file:)`.
  package func keep(_ secrets: [StoreSecret]) throws { try self.secrets.keep(secrets) }

  /// The secret of a channel; `nil` without one, or where this process may not read it.
  package func secret(of channel: Channel) -> Secret<String>? {
    secrets.content.channels[channel]
  }

  /// The key with which the store's requests to a centre are signed; `nil` without one, or where this
  /// process may not read it.
  package func key(ofCentre address: String) -> Secret<[UInt8]>? {
    secrets.content.centres[address]
  }

  /// The secret of an outlet that was set up here, for one address; `nil` without one, or where this
  /// process may not read it.
  package func secret(ofOutlet name: String, at address: String) -> Secret<String>? {
    secrets.content.outlets[OutletSecret.Place(outlet: name, address: address)]
  }

  /// Whether this process may read the secrets.
  package var mayReadSecrets: Bool { secrets.isOwn }

  /// Lets another process keep the secrets that this one may not write.
  ///
  /// - Parameter body: Hands them over; what it throws is the error of the transaction.
  package func handSecretsOver(_ body: @escaping @Sendable ([StoreSecret]) throws -> Void) {
    secrets.handOver(body)
  }

  /// Why the keys and consent codes are not known, though their file is this process's; `nil` if they
  /// are known.
  package var secretsFault: StoreError? { secrets.fault() }
}

/// A secret that a store keeps beside itself.
package enum StoreSecret: Hashable, Sendable {
  case device(DeviceSecret)
  case channel(ChannelSecret)
  case centre(CentreSecret)
  case outlet(OutletSecret)

  /// The import or edit of the plan that gave it, which keeps what was before it.
  var edit: Int64? {
    if case .device(let secret) = self { secret.edit } else { nil }
  }
}

/// Coded as the entries of the file of secrets.
extension StoreSecret: Codable {
  package init(from decoder: any Decoder) throws {
    if let secret = try? CodedChannelSecret(from: decoder) {
      self = .channel(secret.secret)
    } else if let secret = try? CentreSecret(from: decoder) {
      self = .centre(secret)
    } else if let secret = try? OutletSecret(from: decoder) {
      self = .outlet(secret)
    } else {
      self = .device(try DeviceSecret(from: decoder))
    }
  }

  package func encode(to encoder: any Encoder) throws {
    switch self {
    case .device(let secret): try secret.encode(to: encoder)
    case .channel(let secret): try CodedChannelSecret(secret: secret).encode(to: encoder)
    case .centre(let secret): try secret.encode(to: encoder)
    case .outlet(let secret): try secret.encode(to: encoder)
    }
  }
}

/// The key with which a box signs what it says to a centre.
package struct CentreSecret: Hashable, Sendable {
  /// The centre's address.
  package var address: String
  /// The private key, 32 bytes; `nil` to forget it.
  package var key: Secret<[UInt8]>?

  /// Makes a secret.
  package init(address: String, key: Secret<[UInt8]>?) { (self.address, self.key) = (address, key) }

  private static let keyLength = 32
}

extension CentreSecret: Codable {
  private enum CodingKeys: String, CodingKey { case centre, key }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    address = try values.decode(String.self, forKey: .centre)
    key = try values.decodeIfPresent(String.self, forKey: .key).map { text in
      guard let bytes = [UInt8](hex: text), bytes.count == Self.keyLength else {
        throw DecodingError.dataCorruptedError(
          forKey: .key, in: values, debugDescription: "it is no key of 32 bytes")
      }
      return Secret(bytes)
    }
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(address, forKey: .centre)
    try values.encodeIfPresent(key?.revealed.hexString, forKey: .key)
  }
}

/// The secret that opens the receiver of an outlet that was set up here.
///
/// It is for one address alone: whoever writes another one into the store, which several may, does not
/// get it sent there.
package struct OutletSecret: Hashable, Sendable {
  /// Where it is used.
  package struct Place: Hashable, Sendable {
    package var outlet: String
    package var address: String
  }

  package var place: Place
  package var secret: Secret<String>

  /// Makes a secret.
  package init(outlet: String, address: String, secret: Secret<String>) {
    place = Place(outlet: outlet, address: address)
    self.secret = secret
  }

  /// The longest secret, in bytes.
  package static let longest = 8_000
}

extension OutletSecret: Codable {
  private enum CodingKeys: String, CodingKey { case outlet, address, secret }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let text = try values.decode(String.self, forKey: .secret)
    guard (1...Self.longest).contains(text.utf8.count) else {
      throw DecodingError.dataCorruptedError(
        forKey: .secret, in: values, debugDescription: "it has no length of a secret")
    }
    self.init(
      outlet: try values.decode(String.self, forKey: .outlet),
      address: try values.decode(String.self, forKey: .address), secret: Secret(text))
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(place.outlet, forKey: .outlet)
    try values.encode(place.address, forKey: .address)
    try values.encode(secret.revealed, forKey: .secret)
  }
}

/// The secret of a channel as the file of secrets has it: the one place where it is written.
private struct CodedChannelSecret: Codable {
  var secret: ChannelSecret

  private enum CodingKeys: String, CodingKey { case channel, secret }

  init(secret: ChannelSecret) { self.secret = secret }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    let channel = try values.decode(Channel.self, forKey: .channel)
    guard let secret = ChannelSecret(channel, try values.decode(String.self, forKey: .secret))
    else {
      throw DecodingError.dataCorruptedError(
        forKey: .secret, in: values, debugDescription: "it does not open such a channel")
    }
    self.secret = secret
  }

  func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(secret.channel, forKey: .channel)
    try values.encode(secret.secret.revealed, forKey: .secret)
  }
}

/// A secret of a device: its key, or the consent code of one of its user slots.
package struct DeviceSecret: Hashable, Sendable {
  /// The device.
  package var address: DeviceID
  /// The user slot of ``consentCode``; `nil` for the whole device.
  package var userIndex: Int?
  /// The device's key.
  package var key: Secret<[UInt8]>?
  /// The slot's consent code.
  package var consentCode: Secret<UInt16>?
  /// The import or edit of the plan that gave it, which keeps what was before it.
  package var edit: Int64?
  /// Whether what was before that import or edit comes back, in place of a new secret.
  package var isTakenBack = false

  init(
    address: DeviceID, userIndex: Int? = nil, key: Secret<[UInt8]>? = nil,
    consentCode: Secret<UInt16>? = nil, edit: Int64? = nil
  ) {
    self.address = address
    self.userIndex = userIndex
    self.key = key
    self.consentCode = consentCode
    self.edit = edit
  }

  /// Brings back the secrets that a device had before an import or edit of the plan.
  init(before edit: Int64, of address: DeviceID) {
    self.init(address: address, edit: edit)
    isTakenBack = true
  }
}

extension DeviceSecret: Codable {
  private enum CodingKeys: String, CodingKey {
    case address, userIndex, key, consentCode, edit, isTakenBack
  }

  package init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: CodingKeys.self)
    address = try values.decode(DeviceID.self, forKey: .address)
    userIndex = try values.decodeIfPresent(Int.self, forKey: .userIndex)
    key = try values.decodeIfPresent(String.self, forKey: .key).map { text in
      guard let bytes = [UInt8](hex: text), bytes.count == Self.keyLength else {
        throw DecodingError.dataCorruptedError(
          forKey: .key, in: values, debugDescription: "it is no key of 16 bytes")
      }
      return Secret(bytes)
    }
    consentCode = try values.decodeIfPresent(UInt16.self, forKey: .consentCode).map { code in
      guard code <= Self.mostCode else {
        throw DecodingError.dataCorruptedError(
          forKey: .consentCode, in: values, debugDescription: "it is above 9999")
      }
      return Secret(code)
    }
    edit = try values.decodeIfPresent(Int64.self, forKey: .edit)
    isTakenBack = try values.decodeIfPresent(Bool.self, forKey: .isTakenBack) ?? false
  }

  package func encode(to encoder: any Encoder) throws {
    var values = encoder.container(keyedBy: CodingKeys.self)
    try values.encode(address, forKey: .address)
    try values.encodeIfPresent(userIndex, forKey: .userIndex)
    try values.encodeIfPresent(key?.revealed.hexString, forKey: .key)
    try values.encodeIfPresent(consentCode?.revealed, forKey: .consentCode)
    try values.encodeIfPresent(edit, forKey: .edit)
    if isTakenBack { try values.encode(true, forKey: .isTakenBack) }
  }

  private static let keyLength = 16
  private static let mostCode: UInt16 = 9999
}

/// The keys and consent codes of devices, what opens the channels of people, and the keys for centres.
///
/// They are in a file of their own beside the store, for its owner only: neither those who share the
/// store nor a copy or an export of it have them. Those of a store without a file are in memory.
///
/// Whoever writes the file holds the store's lock for writing, so that nobody else does.
final class DeviceSecrets: Sendable {
  /// The secrets of a moment.
  struct Content: Hashable, Sendable {
    var keys: [DeviceID: Secret<[UInt8]>] = [:]
    var consentCodes: [DeviceSlot: Secret<UInt16>] = [:]
    var channels: [Channel: Secret<String>] = [:]
    /// The store's keys, by the addresses of centres.
    var centres: [String: Secret<[UInt8]>] = [:]
    var outlets: [OutletSecret.Place: Secret<String>] = [:]
    /// The secrets that imports and edits of the plan replaced.
    var replaced: [Replaced] = []

    /// The secrets that a device had before an import or edit of the plan.
    struct Replaced: Codable, Hashable {
      var edit: Int64
      var device: DeviceID
      var secrets: [DeviceSecret]
    }
  }

  /// The devices and channels that a store still names; all other secrets are removed.
  struct Kept {
    var devices: Set<DeviceID>
    var channels: Set<Channel>
    var outlets: Set<String>
  }

  private struct State {
    var content = Content()
    /// The file that ``content`` was read from.
    var file: FileMark?
    var handOver: (@Sendable ([StoreSecret]) throws -> Void)?
  }

  /// The path beside which the secrets are.
  let store: String?
  private let file: PrivateFile?
  private let state = Mutex(State())

  /// The secrets beside the store at a path; `nil` for a store without a file.
  init(store path: String?) {
    store = path
    file = path.map { PrivateFile(path: $0 + SQLStore.secretsSuffix) }
  }

  /// Lets another process keep the secrets that this one may not write.
  func handOver(_ body: @escaping @Sendable ([StoreSecret]) throws -> Void) {
    state.withLock { $0.handOver = body }
  }

  /// The secrets; none where this process may not read them.
  var content: Content { state.withLock { (try? read(&$0)) ?? Content() } }

  /// Why the file's secrets are not known, though they are this process's; `nil` if they are.
  func fault() -> StoreError? {
    state.withLock { state in
      do throws(StoreError) {
        _ = try read(&state)
        return nil
      } catch {
        return error
      }
    }
  }

  private func read(_ state: inout State) throws(StoreError) -> Content {
    guard let file else { return state.content }
    let mark = FileMark(file.path)
    guard mark != state.file || mark == nil else { return state.content }
    do {
      let bytes = try isOwn ? file.read(limit: Self.longest) : nil
      state.content = try bytes.map(Content.init(coded:)) ?? Content()
      state.file = mark
      return state.content
    } catch {
      throw Self.error(error, file.path)
    }
  }

  /// Keeps secrets; when this returns, they survive a power failure.
  ///
  /// - Parameters:
  ///   - secrets: The new ones, which replace those of their devices, slots and channels.
  ///   - named: The devices and channels whose secrets stay; `nil` for all.
  /// - Throws: `StoreError.refused(_:)` if the file is another user's, `StoreError.notWritten(_:file:)`.
  func keep(_ secrets: [StoreSecret], of named: Kept? = nil) throws {
    try state.withLock { state in
      if let file, !isOwn {
        // A secret that the owner keeps longer than it is used harms nobody.
        guard !secrets.isEmpty else { return }
        guard let handOver = state.handOver else {
          throw StoreError.refused(.foreignSecrets(file.path))
        }
        return try handOver(secrets)
      }
      let found = Result { try read(&state) }
      // A damaged file keeps nobody from removing a device.
      if secrets.isEmpty, (try? found.get()) == nil { return }
      let known = try found.get()
      var content = known
      for secret in secrets { content.add(secret) }
      if let named { content.drop(allBut: named) }
      guard content != known else { return }
      if let file {
        do {
          try file.replace(with: content.coded())
        } catch {
          throw Self.error(error, file.path)
        }
        state.file = FileMark(file.path)
      }
      state.content = content
    }
  }

  /// Whether the file is this process's to read and write, also before it exists.
  ///
  /// In a folder that a group shares it is the folder's owner's, whoever made it.
  var isOwn: Bool {
    guard let file, geteuid() != 0 else { return true }
    let folder = FileSystem.directory(of: file.path)
    let isShared = FileAudience(ofFilesIn: folder) == .group
    var status = stat()
    guard unsafe lstat(isShared ? folder : file.path, &status) == 0 else { return !isShared }
    return status.st_uid == geteuid()
  }

  private static func error(_ error: any Error, _ path: String) -> StoreError {
    switch error {
    case let error as StoreError: error
    case let error as PrivateFileError:
      switch error.cause {
      case .unwritable(let code), .notDurable(let code):
        .notWritten(code == ENOSPC ? .diskFull : .system(errno: code), file: path)
      case .unreadable(let code): .failed(.system(errno: code), store: path)
      case .notAFile, .openToOthers, .foreign, .tooLong:
        .failed(.secretsUnsafe, store: path)
      }
    case let error as DecodingError: .failed(.unreadable(error.reason), store: path)
    default: .failed(.unreadable(String(describing: error)), store: path)
    }
  }

  /// The longest file, in bytes.
  private static let longest = 1 << 20

  /// Tells a file from one that took its place.
  private struct FileMark: Hashable, Sendable {
    let inode: UInt64
    let size: Int
    let second: Int
    let nanosecond: Int

    init?(_ path: String) {
      var status = stat()
      guard unsafe lstat(path, &status) == 0 else { return nil }
      inode = UInt64(status.st_ino)
      size = Int(status.st_size)
      second = status.st_mtim.tv_sec
      nanosecond = status.st_mtim.tv_nsec
    }
  }
}

extension DeviceSecrets.Content {
  /// The file's text.
  private struct File: Codable {
    var version = 1
    var devices: [DeviceSecret]
    var channels: [CodedChannelSecret]?
    var centres: [CentreSecret]?
    var outlets: [OutletSecret]?
    var replaced: [DeviceSecrets.Content.Replaced]?

    enum CodingKeys: String, CodingKey {
      case version = "measured-secrets"
      case devices, channels, centres, outlets, replaced
    }
  }

  fileprivate init(coded bytes: [UInt8]) throws {
    let file = try JSONDecoder().decode(File.self, from: Data(bytes))
    for secret in file.devices { add(.device(secret)) }
    for secret in file.channels ?? [] { add(.channel(secret.secret)) }
    for secret in file.centres ?? [] { add(.centre(secret)) }
    for secret in file.outlets ?? [] { add(.outlet(secret)) }
    replaced = file.replaced ?? []
  }

  fileprivate func coded() throws -> [UInt8] {
    let channels = channels.sorted { $0.key.text < $1.key.text }.compactMap { channel, secret in
      ChannelSecret(channel, secret.revealed).map(CodedChannelSecret.init(secret:))
    }
    let centres = centres.sorted { $0.key < $1.key }.map { address, key in
      CentreSecret(address: address, key: key)
    }
    let outlets = outlets.map {
      OutletSecret(outlet: $0.key.outlet, address: $0.key.address, secret: $0.value)
    }.sorted { ($0.place.outlet, $0.place.address) < ($1.place.outlet, $1.place.address) }
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return Array(
      try encoder.encode(
        File(
          devices: all, channels: channels.isEmpty ? nil : channels,
          centres: centres.isEmpty ? nil : centres,
          outlets: outlets.isEmpty ? nil : outlets,
          replaced: replaced.isEmpty ? nil : replaced)))
  }

  /// Every key and consent code, by device and slot.
  private var all: [DeviceSecret] {
    let all =
      keys.map { DeviceSecret(address: $0.key, key: $0.value) }
      + consentCodes.map {
        DeviceSecret(address: $0.key.device, userIndex: $0.key.userIndex, consentCode: $0.value)
      }
    return all.sorted {
      ($0.address, $0.userIndex ?? -1, $0.key == nil ? 1 : 0)
        < ($1.address, $1.userIndex ?? -1, $1.key == nil ? 1 : 0)
    }
  }

  /// Adds a secret, in place of the one that its device, slot or channel has, or takes one back.
  mutating func add(_ secret: StoreSecret) {
    switch secret {
    case .device(let secret): add(secret)
    case .channel(let secret): channels[secret.channel] = secret.secret
    case .centre(let secret): centres[secret.address] = secret.key
    case .outlet(let secret): outlets[secret.place] = secret.secret
    }
  }

  private mutating func add(_ secret: DeviceSecret) {
    guard !secret.isTakenBack else { return takeBack(secret) }
    if let edit = secret.edit { keepReplaced(of: secret.address, by: edit) }
    if let key = secret.key { keys[secret.address] = key }
    if let code = secret.consentCode {
      consentCodes[DeviceSlot(device: secret.address, userIndex: secret.userIndex)] = code
    }
  }

  /// Keeps what a device has before an edit first changes it.
  private mutating func keepReplaced(of device: DeviceID, by edit: Int64) {
    guard !replaced.contains(where: { $0.edit == edit && $0.device == device }) else { return }
    replaced.append(Replaced(edit: edit, device: device, secrets: secrets(of: device)))
  }

  /// The key and the consent codes of a device.
  private func secrets(of device: DeviceID) -> [DeviceSecret] {
    all.filter { $0.address == device }
  }

  private mutating func takeBack(_ secret: DeviceSecret) {
    let device = secret.address
    guard let before = replaced.first(where: { $0.edit == secret.edit && $0.device == device })
    else { return }
    keys[device] = nil
    consentCodes = consentCodes.filter { $0.key.device != device }
    for secret in before.secrets { add(secret) }
    replaced.removeAll { $0 == before }
  }

  fileprivate mutating func drop(allBut named: DeviceSecrets.Kept) {
    keys = keys.filter { named.devices.contains($0.key) }
    consentCodes = consentCodes.filter { named.devices.contains($0.key.device) }
    channels = channels.filter { named.channels.contains($0.key) }
    outlets = outlets.filter { named.outlets.contains($0.key.outlet) }
    replaced.removeAll { !named.devices.contains($0.device) }
  }

  /// The bindings with their secrets; a device's key is that of its first binding.
  func adding(to bindings: [DeviceBinding]) -> [DeviceBinding] {
    var devices: Set<DeviceID> = []
    return bindings.map { binding in
      var binding = binding
      binding.key = devices.insert(binding.address).inserted ? keys[binding.address] : nil
      binding.consentCode = consentCodes[DeviceSlot(binding)]
      return binding
    }
  }
}
