import Foundation
import Localization
import Testing

@testable import Pages

/// The interface's reference, made from an OpenAPI document.
struct ReferencePageTests {
  private static let description = """
    {"info": {"description": "About <all>."},
     "paths": {"/api/v1/cups/{cup}": {
       "put": {"summary": "Fills a cup",
         "parameters": [{"name": "cup", "in": "path", "required": true,
           "schema": {"type": "integer", "minimum": 1, "maximum": 8}, "description": "Which"}],
         "requestBody": {"content": {"application/json":
           {"schema": {"$ref": "#/components/schemas/Filling"}}}},
         "responses": {"200": {"content": {"application/json":
           {"schema": {"type": "array", "items": {"$ref": "#/components/schemas/Cup"}}}}},
           "400": {}, "404": {}}},
       "get": {"summary": "One cup", "responses": {"200": {"content": {
         "text/event-stream": {"schema": {"type": "string"}}}}}}}},
     "components": {"schemas": {
       "Cup": {"properties": {"state": {"enum": ["full", "empty", null]}}, "required": ["state"]},
       "Filling": {"properties": {"what": {"oneOf": [
         {"type": ["string", "null"]}, {"type": "number", "maximum": 3}]}}}}}}
    """

  private func html(_ text: String) throws -> String {
    let site = try Site()
    let viewer = Viewer(
      language: site.languages[0], patient: nil, now: Date(timeIntervalSince1970: 0), timeZone: .gmt
    )
    return try ReferencePage(Array(text.utf8), viewer: viewer).html(site)
  }

  @Test
  func `it has every operation, parameter, type and refusal`() throws {
    let html = try html(Self.description)
    for part in [
      "About &lt;all&gt;.", #"id="put-api-v1-cups-cup""#, "Fills a cup", "integer 1–8",
      ##"Body:  <a href="#type-Filling">Filling</a>"##,
      ##"Answer: array of <a href="#type-Cup">Cup</a>"##, "Refusals: 400, 404",
      "Answer: text/event-stream", "full | empty | null", "string or null or number ≤ 3",
    ] {
      #expect(html.contains(part), "\(part)")
    }
    let get = try #require(html.range(of: "One cup")).lowerBound
    #expect(try get < #require(html.range(of: "Fills a cup")).lowerBound)
    #expect(html.contains("<small>optional</small>"))
  }

  @Test(arguments: ["", "[]", #"{"info": {}}"#])
  func `a document that is none is refused`(text: String) {
    #expect(throws: DecodingError.self) { try html(text) }
  }
}
