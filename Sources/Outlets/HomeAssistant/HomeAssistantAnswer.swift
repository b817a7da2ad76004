import Foundation

/// An answer that somebody gave in Home Assistant; MQTT does not tell who.
package struct HomeAssistantAnswer: Hashable, Sendable {
  /// The word of a button.
  package enum Word: String, Hashable, Sendable, CaseIterable {
    case done, notDone, skip
  }

  /// The content of an answer to a task.
  package enum Content: Hashable, Sendable {
    case word(Word)
    /// A number as it was entered, in the unit that the task asks for.
    case number(String)
  }

  package var patient: String
  package var task: String
  package var content: Content

  /// The longest answer, in bytes.
  private static let longest = 32

  /// Reads a message; `nil` for what is no answer.
  ///
  /// A retained one is an old one, which the broker would give again at every start.
  package init?(_ message: MQTTMessage, _ topics: HomeAssistantTopics) {
    guard !message.isRetained, message.payload.count <= Self.longest else { return nil }
    let levels = message.topic.split(separator: "/", omittingEmptySubsequences: false)
    guard levels.count == 6, levels[3] == "task", levels[5] == "set",
      let patient = HomeAssistantTopics.text(ofSlug: levels[2]),
      let task = HomeAssistantTopics.text(ofSlug: levels[4]),
      message.topic == topics.command(task, of: patient)
    else { return nil }
    let text = String(decoding: message.payload, as: UTF8.self)
    if let word = Word(rawValue: text) {
      content = .word(word)
    } else if text.wholeMatch(of: /-?\d+(\.\d+)?/) != nil {
      content = .number(text)
    } else {
      return nil
    }
    (self.patient, self.task) = (patient, task)
  }
}
