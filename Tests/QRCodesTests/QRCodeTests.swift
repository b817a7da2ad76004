import Care
import Digests
import Testing

@testable import QRCodes

@Suite struct QRCodeTests {
  /// The digests of the modules, row by row as `0` and `1`, of qrcode 8.2 (PyPI), with error
  /// correction M and the mask that libqrencode chooses (which one is free).
  @Test(
    arguments: [
      ("A", 21, "8e0f600c0a22ae3792bd6e5c454180d869e1e59fdbde7e7df9f424522be4fc9c"),
      (
        "https://centre.example AB12-CD34-EF56", 29,
        "5350fa6d7693f39f84d2aebae2f27d9c543b7e1a02788eccc12b38a386fd25e6"
      ),
      (
        "https://centre.example.org:8443/measured K7QXK7QXK7QX 姓名", 33,
        "ae4be5eba9058a5f26723a7f2a0223f656a103db7c6cc14e266bb998f3b790d4"
      ),
      (
        String(repeating: "x", count: 107), 45,
        "532eaa2c1b847631382e27c3de153776e74ab2593ff482db6bbe6c7851f2d7b9"
      ),
      (
        String(repeating: "y", count: 150), 49,
        "445ec7f87477f78a57bac3e797ef3e0f12dec2580a444d8c309cfc4e8779fa85"
      ),
      (
        String(repeating: "z", count: 180), 53,
        "33ca88005eddcc7d68e7669e15b1a94a52f671245a66f60186a0e4b54a3dd81f"
      ),
    ])
  func `a text has the modules that another program gives it`(
    text: String, side: Int, digest: String
  ) throws {
    let code = try #require(QRCode(text))
    #expect(code.side == side)
    let bits = code.modules.map { $0 ? UInt8(ascii: "1") : UInt8(ascii: "0") }
    #expect(SHA256.digest(of: bits).hexString == digest)
    #expect(code.lines.count == side / 2 + 3 && code.lines.allSatisfy { $0.count == side + 4 })
  }

  @Test func `a text that is too long has none`() {
    #expect(QRCode(String(repeating: "z", count: QRCode.longest + 1)) == nil)
  }
}
