import GATT

extension FieldType {
  /// The number that a floating-point field's `bytes` spell; `nil` where they say that there is
  /// none, and for the other types.
  func number(_ bytes: some Collection<UInt8>) -> Double? {
    var reader = ByteReader(bytes)
    switch self {
    case .f32le: return (try? reader.f32("number")).map(Double.init)
    case .sfloat: return (try? reader.sfloat("number"))?.doubleValue
    case .float: return (try? reader.float("number"))?.doubleValue
    default: return nil
    }
  }
}
