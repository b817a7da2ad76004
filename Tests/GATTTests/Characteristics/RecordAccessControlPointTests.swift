import GATT
import TestSupport
import Testing

struct RecordAccessControlPointTests {
  typealias Request = RecordAccessControlPoint.Request
  typealias Response = RecordAccessControlPoint.Response

  @Test(
    arguments: [
      (.report(.all), "0101"), (.report(.from(0x0102)), "0103010201"),
      (.report(.upTo(7)), "0102010700"), (.report(.between(1, 300)), "01040101002c01"),
      (.report(.first), "0105"), (.report(.last), "0106"), (.delete(.all), "0201"),
      (.abort, "0300"), (.count(.all), "0401"), (.count(.from(5)), "0403010500"),
    ] as [(Request, String)])
  func `requests as they are written`(request: Request, hex: String) throws {
    #expect(request.encoded == bytes(hex))
    #expect(try Request(bytes(hex)) == request)
  }

  @Test(
    arguments: [
      ("05000c00", .count(12)), ("06000101", .result(.success, of: 1)),
      ("06000106", .result(.noRecordsFound, of: 1)),
      ("06000307", .result(.abortUnsuccessful, of: 3)),
    ] as [(String, Response)])
  func `responses as they are indicated`(hex: String, response: Response) throws {
    #expect(try Response(bytes(hex)) == response)
    #expect(response.encoded == bytes(hex))
  }

  @Test
  func `a response matches only the request whose opcode it repeats`() {
    let done = Response.result(.success, of: 1)
    #expect(done.answers(.report(.all)))
    #expect(!done.answers(.abort))
    #expect(!done.answers(.count(.all)))
    #expect(Response.count(3).answers(.count(.all)))
    #expect(!Response.count(3).answers(.report(.all)))
    #expect(Response.result(.operatorNotSupported, of: 4).answers(.count(.first)))
  }

  @Test
  func `requests and responses have the same UUID`() {
    #expect(Request.uuid.short == 0x2A52)
    #expect(Response.uuid.short == 0x2A52)
  }

  @Test(
    arguments: [
      ("", .truncated(field: "opcode", needed: 1, available: 0)),
      ("01", .truncated(field: "operator", needed: 1, available: 0)),
      ("0103", .truncated(field: "filter type", needed: 1, available: 0)),
      ("010301ff", .truncated(field: "sequence number", needed: 2, available: 1)),
      ("0104010100", .truncated(field: "maximum", needed: 2, available: 0)),
      ("0103020100", .invalid(field: "filter type", reason: "2 is not the sequence number's")),
      ("0100", .invalid(field: "operator", reason: "0 chooses no records")),
      ("0301", .invalid(field: "operator", reason: "1 is not 0")),
      ("0900", .unknownOpcode(9)),
    ] as [(String, GATTError)])
  func `a request that makes no sense is refused`(hex: String, error: GATTError) {
    #expect(throws: error) { try Request(bytes(hex)) }
  }

  @Test(
    arguments: [
      ("0101", .unknownOpcode(1)),
      ("0501", .invalid(field: "operator", reason: "1 is not 0")),
      ("05000c", .truncated(field: "number of records", needed: 2, available: 1)),
      ("0600", .truncated(field: "request opcode", needed: 1, available: 0)),
      ("060001", .truncated(field: "response code", needed: 1, available: 0)),
      ("06000100", .invalid(field: "response code", reason: "0 is not known")),
    ] as [(String, GATTError)])
  func `a response that makes no sense is refused`(hex: String, error: GATTError) {
    #expect(throws: error) { try Response(bytes(hex)) }
  }
}
