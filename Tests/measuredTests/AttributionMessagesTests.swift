import Actions
import Care
import Foundation
import Testing

@testable import Hub
@testable import measured

struct AttributionMessagesTests {
  @Test(arguments: [
    (
      #"{"doubt":"witness","patients":["anna"],"odds":[{"patient":"anna","probability":0.98}],"#
        + #""witness":{"quantity":"impedance","measured":560,"expected":510}}"#,
      "67.9 kg fits anna, but the body impedance is 560 Ω, usually about 510 Ω (anna 98 %)"
    ),
    (
      #"{"doubt":"unclear","patients":["anna"],"odds":[{"patient":"anna","probability":0.989}]}"#,
      "67.9 kg is probably of anna, not clear enough; assign it by hand (anna 98 %)"
    ),
    (
      #"{"doubt":"unclear","patients":["anna"],"odds":[{"patient":"anna","probability":0.004}]}"#,
      "67.9 kg fits anna, and a person who is not in the plan"
    ),
    (
      #"{"doubt":"far","patients":["anna"],"expected":64.5,"odds":[]}"#,
      "67.9 kg is far from the weight of anna, about 64.5 kg"
    ),
  ])
  func `the reason of a waiting weighing names its cause`(json: String, text: String) throws {
    let reason = try JSONDecoder().decode(UnassignedWeighing.self, from: Data(json.utf8))
    #expect(reason.message("67.9 kg") == text)
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
    #expect(found.dropLast().map(\.self).message == nil)
    #expect(
      found.message
        == "3 weighings since 2026-11-21T07:10:00+00:00, the last of 2026-11-23T07:10:00+00:00, were"
        + " probably assigned to the wrong person: anna for ben, ben for a person not in the plan, ben for anna"
    )
  }
}
