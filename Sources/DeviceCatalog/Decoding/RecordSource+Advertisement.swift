import GATT

extension RecordSource {
  /// The frames that an advertisement carries, with their sources.
  static func frames(in advertisement: [UInt8]) -> [(source: RecordSource, bytes: [UInt8])] {
    let content = AdvertisingData.readable(in: advertisement).data
    return content.serviceData.map { (.serviceData($0.uuid), $0.data) }
      + content.manufacturerData.map { (.manufacturerData($0.company), $0.data) }
  }
}
