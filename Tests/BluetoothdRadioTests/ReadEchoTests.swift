import Testing

@testable import BluetoothdRadio

@Suite struct ReadEchoTests {
  @Test func tellsNotificationsAtOnceWhereNothingIsRead() {
    var echo = ReadEcho()
    #expect(echo.notified([1]) == [[1]])
    #expect(echo.notified([1]) == [[1]])
  }

  @Test func leavesOutTheEchoOfARead() {
    var echo = ReadEcho()
    echo.begin()
    #expect(echo.notified([7]) == [])
    #expect(echo.end([7]) == [])
    #expect(echo.notified([7]) == [[7]])
  }

  @Test func tellsWhatCameWhileARead() {
    var echo = ReadEcho()
    echo.begin()
    for value: UInt8 in [1, 7, 2, 7] { #expect(echo.notified([value]) == []) }
    #expect(echo.end([7]) == [[1], [7], [2]])
  }

  @Test func tellsAllOfARefusedRead() {
    var echo = ReadEcho()
    echo.begin()
    #expect(echo.notified([7]) == [])
    #expect(echo.end(nil) == [[7]])
    #expect(echo.end(nil) == [])
  }

  @Test func keepsBackOnlySoMany() {
    var echo = ReadEcho()
    echo.begin()
    var told: [[UInt8]] = []
    for value: UInt8 in 0..<200 { told += echo.notified([value]) }
    told += echo.end(nil)
    #expect(told == (0..<200).map { [UInt8($0)] })
  }
}
