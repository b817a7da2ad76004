/// A key that is always there in JSON, `null` where there is no value, so that a script need not ask
/// whether it is.
@propertyWrapper
struct Nullable<Wrapped: Encodable>: Encodable {
  var wrappedValue: Wrapped?

  func encode(to encoder: any Encoder) throws {
    var container = encoder.singleValueContainer()
    if let wrappedValue {
      try container.encode(wrappedValue)
    } else {
      try container.encodeNil()
    }
  }
}
