package import Radio
import Synchronization

/// Whether a radio has a controller that works, by its notices.
package final class RadioState: Sendable {
  private struct State {
    /// The names of the controllers that work.
    var working: Set<String> = []
    var hasWorked = false
    var trouble: RadioNotice?
  }

  private let state = Mutex(State())

  package init() {}

  /// Whether a controller worked at any time.
  var hasWorked: Bool { state.withLock { $0.hasWorked } }

  /// Why no controller works; `nil` while one does, or while nothing is known yet.
  package var trouble: RadioNotice? { state.withLock { $0.working.isEmpty ? $0.trouble : nil } }

  /// Takes a notice of the radio about itself.
  package func take(_ notice: RadioNotice) {
    state.withLock { state in
      switch notice {
      case .controller(let name, let change):
        switch change {
        case .found, .switchedOn, .listening, .recovered:
          state.working.insert(name)
          state.hasWorked = true
        // It goes on, and its success is not reported.
        case .trouble(.notListening), .trouble(.deaf): break
        case .removed, .trouble:
          state.working.remove(name)
          state.trouble = notice
        }
      case .noController, .noKernel, .yielded, .noBus, .noBluetoothd, .bluetoothdLost,
        .bluetoothdSilent:
        state.working = []
        state.trouble = notice
      case .bluetoothdFound: state.trouble = nil
      case .noDirectory, .noAgent, .bondsUnreadable, .bondNotStored, .bondsFull, .identity: break
      }
    }
  }
}
