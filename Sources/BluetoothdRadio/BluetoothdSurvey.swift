package import SystemBus

/// The answer of bluetoothd to this process, asked once.
package enum BluetoothdSurvey: Hashable, Sendable {
  /// The system's message bus cannot be used, for this reason.
  case noBus(String)
  /// It does not run.
  case absent
  /// It lists its objects to this process.
  case answers
  /// It runs, and did not answer in time.
  case silent
  /// It runs, and this process may not talk to it, or it refused for another reason.
  case refused(String)

  /// How long it may take to answer.
  package static let patience = Duration.seconds(5)

  /// Asks bluetoothd; does not start it.
  ///
  /// - Parameters:
  ///   - loop: The loop of the connection.
  ///   - address: The bus.
  ///   - patience: How long an answer may take.
  /// - Returns: Its answer.
  package static func ask(
    on loop: EventLoop, bus address: BusAddress = .system, patience: Duration = Self.patience
  ) async -> BluetoothdSurvey {
    let bus: BusConnection
    do throws(BusError) {
      bus = try BusConnection(loop: loop, address: address, report: { _ in })
    } catch {
      return .noBus(error.description)
    }
    await bus.start()
    let answer = await ask(bus, patience)
    await bus.close()
    return answer
  }

  private static func ask(_ bus: BusConnection, _ patience: Duration) async -> BluetoothdSurvey {
    do throws(BusError) {
      let owned = try await bus.call(
        .bus("NameHasOwner", .string("org.bluez")), timeout: patience)
      guard owned.first == .boolean(true) else { return .absent }
    } catch {
      return .noBus(error.description)
    }
    do throws(BusError) {
      _ = try await bus.call(
        BusCall(
          destination: "org.bluez", path: "/",
          interface: "org.freedesktop.DBus.ObjectManager", member: "GetManagedObjects"),
        timeout: patience)
      return .answers
    } catch .timedOut {
      return .silent
    } catch .refused("org.freedesktop.DBus.Error.NoReply", _) {
      return .silent
    } catch {
      return .refused(error.description)
    }
  }
}
