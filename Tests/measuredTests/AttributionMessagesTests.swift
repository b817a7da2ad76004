import Care
import Foundation
import Hub
import Testing

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
}
