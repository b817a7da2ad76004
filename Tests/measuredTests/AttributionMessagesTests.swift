import Actions
import Care
import Foundation
import Localization
import Testing

@testable import Hub
@testable import Terminal

struct AttributionMessagesTests {
  private static func weighing(
    _ doubt: UnassignedWeighing.Doubt, expected: Double? = nil, odds: Double? = nil,
    witness: UnassignedWeighing.Witness? = nil
  ) -> UnassignedReason {
    .weighing(
      UnassignedWeighing(
        doubt: doubt, patients: ["anna"], expected: expected, witness: witness,
        odds: odds.map { [.init(patient: "anna", probability: $0)] } ?? []))
  }

  @Test(
    arguments: [
      (
        weighing(
          .witness, odds: 0.98,
          witness: .init(quantity: "impedance", measured: 560, expected: 510)),
        "67.9 kg fits anna, but the body impedance is 560 Ω, usually about 510 Ω (anna 98 %)",
        "67.9 kg 與 anna 相符，但身體阻抗是 560 Ω，平時約 510 Ω（anna 98 %）"
      ),
      (
        weighing(.unclear, odds: 0.989),
        "67.9 kg is probably of anna, not clearly enough (anna 98 %)",
        "67.9 kg 可能是 anna 的，但不夠明確（anna 98 %）"
      ),
      (
        weighing(.unclear, odds: 0.004),
        "67.9 kg fits anna, and a person who is not in the plan",
        "67.9 kg 與 anna 相符，也可能是計畫以外的人"
      ),
      (
        weighing(.far, expected: 64.5),
        "67.9 kg is far from the weight of anna, about 64.5 kg",
        "67.9 kg 與 anna 的體重（約 64.5 kg）相差很多"
      ),
      (.implausible, "67.9 kg is no plausible weight", "67.9 kg 不是合理的體重"),
      (.unbound, "scale is bound to nobody: whose is this device?", "scale 還不屬於任何人：這是誰的裝置？"),
      (
        .notStored(patient: "ben"), "scale is bound to ben, whose readings are not stored",
        "scale 屬於 ben，而 ben 的讀數不儲存"
      ),
    ] as [(UnassignedReason, String, String)])
  func `the reason of a waiting reading names its cause`(
    reason: UnassignedReason, english: String, chinese: String
  ) throws {
    let time = Date(timeIntervalSince1970: 1_795_158_600)
    let sample = Sample(
      reading: Reading(
        quantity: .bodyMass, value: 67.9, arrival: time, device: DeviceIdentity(address: "scale")),
      unassignedReason: reason.text, start: time, end: time)
    #expect(UnassignedReason(sample) == reason)
    #expect(sample.unassignedMessage == english)
    let words = try #require(LanguageCatalogue.embedded.language("zh-TW"))
    Console.$language.withValue(words) { #expect(sample.unassignedMessage == chinese) }
  }

  @Test func `the reason that another program wrote is shown as it is`() {
    let time = Date(timeIntervalSince1970: 1_795_158_600)
    let sample = Sample(
      reading: Reading(
        quantity: .bodyMass, value: 67.9, arrival: time, device: DeviceIdentity(address: "scale")),
      unassignedReason: "nobody weighs this", start: time, end: time)
    #expect(UnassignedReason(sample) == nil)
    #expect(sample.unassignedMessage == "nobody weighs this")
  }

  // MARK: - Weighings that look like another person's

  private func contradiction(
    _ number: Int64, _ kilograms: Double, of patient: String, likelier: String?,
    provenance: Provenance = .passive
  ) -> WeighingReview.Contradiction {
    let time = Date(timeIntervalSince1970: 1_795_158_600 + Double(number) * 86_400)
    let reading = Reading(
      quantity: .bodyMass, value: kilograms, arrival: time,
      device: DeviceIdentity(address: "scale"))
    return WeighingReview.Contradiction(
      sample: Sample(
        reading: reading, patient: patient, start: time, end: time, provenance: provenance),
      number: number, likelier: likelier)
  }

  @Test func `each move names its last five weighings and one command`() {
    let swapped = (1...6).map {
      contradiction(Int64($0), 60 + Double($0), of: "anna", likelier: "ben")
    }
    let visitor = contradiction(9, 82.4, of: "ben", likelier: nil)
    #expect(
      ([visitor] + swapped).moves(for: [:]) == [
        "…, 62 kg, 63 kg, 64 kg, 65 kg, 66 kg of anna: probably of ben."
          + " To move: measured samples assign 1 2 3 4 5 6 --patient ben",
        "82.4 kg of ben: probably of another person."
          + " To move: measured samples assign 9 --nobody",
      ])
  }

  @Test func `a typed value is corrected, not moved`() {
    let typed = contradiction(4, 48, of: "anna", likelier: "ben", provenance: .manual)
    #expect(
      [typed].moves(for: [:]) == [
        "48 kg, typed for anna, does not fit. If it is mistyped:"
          + " measured samples correct 4 --value … --unit kg"
      ])
    #expect(
      [typed].moves(for: ["anna": .us]) == [
        "105.8 lb, typed for anna, does not fit. If it is mistyped:"
          + " measured samples correct 4 --value … --unit lb"
      ])
  }

  @Test func `three contradicted weighings say who were taken for each other`() {
    let found = [
      contradiction(1, 61, of: "anna", likelier: "ben"),
      contradiction(2, 82, of: "ben", likelier: "anna"),
      contradiction(3, 75, of: "ben", likelier: nil),
    ]
    #expect(found.dropLast().map(\.self).swapped == nil)
    #expect(
      found.swapped?.message
        == "3 weighings since 2026-11-21T07:10:00+00:00, the last of 2026-11-23T07:10:00+00:00, were"
        + " probably assigned to the wrong person: anna for ben, ben for a person not in the plan and ben for anna"
    )
  }
}
