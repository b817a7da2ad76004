// What a plan has to say of a device, beside its address.

extension DeviceDefinition {
  /// Whether nothing of the device can be read without a key from the plan.
  public var needsKey: Bool { records.contains(where: \.isEncrypted) }

  /// Whether its readings say which of the device's users they are of, as far as the definition
  /// tells: by a field, by their consent, or in a vector.
  public var hasUsers: Bool {
    records.contains { $0.userField != nil || $0.isEncrypted }
      || session.start.contains { if case .consent = $0 { true } else { false } }
      || vectors.contains { $0.expected.contains { $0.reading?.user != nil } }
  }
}

extension RecordRule {
  /// Whether its frames are encrypted with a key of the owner.
  fileprivate var isEncrypted: Bool {
    if case .codec(.xiaomiScale) = content { true } else { false }
  }
}
