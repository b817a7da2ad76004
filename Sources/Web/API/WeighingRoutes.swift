import Actions
import Care
import CareStore
import Foundation
import HTTPTypes
import Hummingbird
import Interchange
import StrictYAML

/// Whose the weighings of the household's scales are.
struct WeighingRoutes {
  let environment: WebEnvironment
  let responder: QueryResponder

  func add(to group: RouterGroup<WebContext>) {
    group.get("weighings", use: tracks)
    group.put("patients/:patient/weigher", use: name)
  }

  // MARK: Reading

  @Sendable private func tracks(
    _ request: Request, _ context: WebContext
  ) async throws -> Response {
    _ = try QueryItems(request, known: [])
    let memory = environment.weighings
    return try await responder.respond(to: request, context, key: ["weighings"]) { reader, _ in
      try JSONText.of(TracksOutput(try WeighingTracks(reader, memory), reader))
    }
  }

  private struct TracksOutput: Encodable {
    var tracks: [TrackOutput]
    var guests: [Int64]
    var question: QuestionOutput?

    init(_ read: WeighingTracks, _ reader: any StoreReader) throws {
      let zone = try reader.zone()
      tracks = try read.tracks.map { track in
        TrackOutput(
          patient: track.patient,
          weighings: try track.points.map { point in
            PointOutput(
              sample: try reader.number(of: point.sample.identity),
              time: point.sample.start.rfc3339(in: zone), value: point.sample.value,
              waits: point.waits, weight: point.weight, deviation: point.deviation)
          })
      }
      guests = try read.guests.compactMap { try reader.number(of: $0.identity) }
      question = try read.question.map { try QuestionOutput($0, reader) }
    }
  }

  private struct TrackOutput: Encodable {
    var patient: String?
    var weighings: [PointOutput]
  }

  private struct PointOutput: Encodable {
    var sample: Int64?
    var time: String
    var value: Double
    var waits: Bool
    var weight: Double
    var deviation: Double
  }

  private struct QuestionOutput: Encodable {
    /// `owner`, `weigher` or `confirmation`.
    var kind: String
    var patient: String?
    var sample: Int64?
    var settles: Int
    var residents: [ResidentOutput]

    init(_ question: WeighingQuestion, _ reader: any StoreReader) throws {
      switch question.kind {
      case .owner: kind = "owner"
      case .weigher(let patient): (kind, self.patient) = ("weigher", patient)
      case .confirmation(let patient): (kind, self.patient) = ("confirmation", patient)
      }
      sample = try reader.number(of: question.sample.identity)
      settles = question.settled
      residents = try question.residents.map {
        ResidentOutput(weight: $0.weight, sample: try reader.number(of: $0.latest.identity))
      }
    }
  }

  private struct ResidentOutput: Encodable {
    var weight: Double
    var sample: Int64?
  }

  // MARK: Changes

  private struct WeigherInput: JSONInput {
    var sample: Int64?
    var nobody: Bool?

    init(_ node: YAMLNode) throws(YAMLError) {
      var body = try node.mapping()
      sample = try body.optional("sample").map { node throws(YAMLError) in Int64(try node.integer())
      }
      nobody = try body.optional("nobody")?.boolean()
      try body.finish()
    }
  }

  private struct SampleList: Encodable, Sendable {
    var samples: [SampleOutput]
  }

  @Sendable private func name(_ request: Request, _ context: WebContext) async throws -> Response {
    let patient = try context.parameters.require("patient")
    let input = try await JSONBody.decode(WeigherInput.self, from: request, in: context)
    guard (input.sample == nil) == (input.nobody == true) else {
      throw Fault(.malformed, "Give ‘sample’, or ‘nobody’ as true.")
    }
    return JSONBody.response(
      text: try await Self.name(patient, sample: input.sample, environment, context) {
        samples, reader in
        let zone = try reader.zone()
        return try JSONText.of(
          SampleList(samples: try samples.map { try SampleOutput($0, in: reader, zone) }))
      })
  }

  /// Names the plan's only patient among those who use the scales; `nil` is none of them.
  ///
  /// - Returns: What `read` says of the weighings that were asked about, in the same transaction.
  static func name<Read: Sendable>(
    _ patient: String, sample: Int64?, _ environment: WebEnvironment, _ context: WebContext,
    reading read: @Sendable ([Sample], any StoreReader) throws -> Read
  ) async throws -> Read {
    let now = environment.now()
    return try await environment.store.write { writer in
      let weighing = try sample.map { try context.sample($0, in: writer).identity }
      let samples = try NameWeigher(patient, weighing: weighing)
        .perform(in: writer, by: context.performer, now: now).samples
      return try read(samples, writer)
    }
  }
}
