import Care
import DeviceCatalog
import Testing

struct DeviceCredentialsTests {
  private let key = Secret<[UInt8]>(Array(1...16))

  @Test func `are none by default`() {
    #expect(DeviceCredentials([DeviceBinding]()) == DeviceCredentials())
    #expect(
      DeviceCredentials([DeviceBinding(address: "A", userIndex: 1)])
        == DeviceCredentials(isPlanned: true))
  }

  @Test func `come from all bindings of a device`() {
    let credentials = DeviceCredentials([
      DeviceBinding(address: "A", patient: "mary", userIndex: 2, consentCode: Secret(2222)),
      DeviceBinding(address: "A", patient: "john", userIndex: 1, key: key, consentCode: Secret(11)),
      DeviceBinding(address: "A", patient: "jane", userIndex: 3),
    ])
    #expect(credentials.key == key)
    #expect(
      credentials.users == [
        .init(index: 1, consentCode: Secret(11)), .init(index: 2, consentCode: Secret(2222)),
      ])
  }

  @Test func `leave out an impossible index`() {
    let binding = DeviceBinding(address: "A", userIndex: 256, consentCode: Secret(1))
    #expect(DeviceCredentials([binding]).users.isEmpty)
  }
}
