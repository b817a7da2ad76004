package import Outlets

extension HomeAssistantWords {
  /// The texts of Home Assistant's entities in a language.
  package init(in words: Language) {
    self.init { name in
      switch name {
      case .box(let box): words.text("homeAssistant.box", ["box": box])
      case .quantity(let quantity): words.title(of: quantity)
      case .measured(let quantity):
        words.text("homeAssistant.measured", ["quantity": words.title(of: quantity)])
      case .lastSeen: words.text("homeAssistant.lastSeen")
      case .waiting: words.text("homeAssistant.waiting")
      case .happenings: words.text("homeAssistant.happenings")
      case .done(let task): words.text("homeAssistant.done", ["task": task])
      case .notDone(let task): words.text("homeAssistant.notDone", ["task": task])
      case .skip(let task): words.text("homeAssistant.skip", ["task": task])
      case .number(let task): words.text("homeAssistant.number", ["task": task])
      }
    }
  }
}
