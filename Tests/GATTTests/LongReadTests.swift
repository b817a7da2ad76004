import Testing

@testable import GATT

@Suite struct LongReadTests {
  @Test func `ends with an answer that does not fill its unit`() {
    var read = LongRead(handle: 7)
    #expect(read.request == .read(handle: 7))
    read.append([UInt8](repeating: 1, count: 21), mtu: 23)
    #expect(!read.mayContinue)
    #expect(read.data.count == 21)
  }

  @Test func `continues after an answer that fills its unit`() {
    var read = LongRead(handle: 7)
    read.append([UInt8](repeating: 1, count: 22), mtu: 23)
    #expect(read.mayContinue)
    #expect(read.request == .readBlob(handle: 7, offset: 22))
    read.append([2], mtu: 23)
    #expect(!read.mayContinue)
    #expect(read.data.count == 23)
  }

  @Test func `ends at the longest value`() {
    var read = LongRead(handle: 7)
    var parts = 0
    repeat {
      read.append([UInt8](repeating: 1, count: 22), mtu: 23)
      parts += 1
    } while read.mayContinue
    #expect(read.data.count == LongRead.longestValue)
    #expect(parts == 24)
  }

  @Test(arguments: [
    (ATTErrorCode.invalidOffset, true), (.attributeNotLong, true), (.readNotPermitted, false),
  ])
  func `is complete by a refusal of the next part`(code: ATTErrorCode, isComplete: Bool) {
    var read = LongRead(handle: 7)
    #expect(!read.isComplete(by: code))
    read.append([UInt8](repeating: 1, count: 22), mtu: 23)
    #expect(read.isComplete(by: code) == isComplete)
  }
}
