import Care
import Foundation
import GATT
import Radio
import Testing

@testable import DeviceCatalog

struct DeviceSessionTests {
  let address = SessionBench.address
  let polarControl = "FB005C81-02E7-F387-1CAD-8ACD2D8DF0C8"
  let polarData = "FB005C82-02E7-F387-1CAD-8ACD2D8DF0C8"

  private func advertisement(_ address: DeviceAddress) -> RadioEvent {
    .advertisement(
      Advertisement(address: address, addressType: .random, rssi: nil, data: []))
  }

  @Test func `connects after an advertisement`() throws {
    var bench = try SessionBench("sig-heart-rate")
    #expect(bench.handle(advertisement(address)) == [.command(.connect(address))])
    #expect(bench.handle(advertisement(address), at: 1) == [])
    // A connection that is not up after a minute is retried after a second.
    #expect(bench.handle(advertisement(address), at: 60) == [])
    #expect(bench.handle(advertisement(address), at: 61) == [.command(.connect(address))])
  }

  @Test func `ignores a device that is not connectable`() throws {
    var bench = try SessionBench("sig-heart-rate")
    let deaf = Advertisement(
      address: address, addressType: .random, rssi: nil, data: [], isConnectable: false)
    #expect(bench.handle(.advertisement(deaf)) == [])
    #expect(bench.handle(advertisement(address), at: 1) == [.command(.connect(address))])
  }

  @Test func `ends a link that is being connected`() throws {
    var bench = try SessionBench("sig-heart-rate")
    #expect(bench.session.end(at: SessionBench.time(0)) == [])
    _ = bench.handle(advertisement(address))
    #expect(bench.session.hasLink)
    #expect(bench.session.end(at: SessionBench.time(0)) == [.command(.disconnect(address))])
    _ = bench.handle(.disconnected(address), at: 1)
    #expect(!bench.session.hasLink)
  }

  @Test func `requests a bond if the device needs one`() throws {
    var bench = try SessionBench("sig-glucose")
    #expect(bench.handle(advertisement(address)) == [.command(.connect(address, bonded: true))])
  }

  @Test func `ignores events of other devices`() throws {
    var bench = try SessionBench("sig-heart-rate")
    let other = DeviceAddress(rawValue: 1)
    #expect(bench.handle(advertisement(other)) == [])
    #expect(bench.handle(.connected(other)) == [])
    #expect(!bench.session.isLinked)
  }

  @Test func `performs the steps that the device supports`() throws {
    var bench = try SessionBench("polar-h10")
    let uuid37 = try uuid("2A37")
    let control = try uuid(polarControl)
    let data = try uuid(polarData)
    let begin = try bench.connect(["2A37", polarControl, polarData, "2A19"])
    #expect(
      begin.commands == [
        .subscribe(address, characteristic: uuid37), .subscribe(address, characteristic: control),
        .subscribe(address, characteristic: data, isMotion: true),
        .write(
          address, characteristic: control,
          data: [2, 2, 2, 1, 8, 0, 0, 1, 50, 0, 1, 1, 16, 0], withResponse: true),
      ])
    #expect(bench.session.wakeAt == SessionBench.time(5).steady)
    #expect(bench.handle(.written(address, characteristic: control), at: 0.1) == [])
    // Not the awaited value.
    #expect(try bench.value(polarControl, "f0 01 02 00", at: 0.2) == [])
    #expect(
      try bench.value(polarControl, "f0 02 02 00 00", at: 0.3).commands
        == [.read(address, characteristic: try uuid("2A19"))])
    #expect(try bench.value("2A19", "5f", at: 0.4).readings.map(\.value) == [95])
    // A strap is expected to send within a minute of its last value.
    #expect(bench.session.wakeAt == SessionBench.time(0.3).steady + 61)
  }

  @Test func `skips steps that the device does not support`() throws {
    var bench = try SessionBench("polar-h10")
    let commands = try bench.connect(["2A37"]).commands
    #expect(commands == [.subscribe(address, characteristic: try uuid("2A37"))])
  }

  @Test func `continues without a response`() throws {
    var bench = try SessionBench("polar-h10")
    _ = try bench.connect([polarControl, "2A19"])
    #expect(bench.session.wake(at: SessionBench.time(5)) == [])
    #expect(bench.session.wakeAt == SessionBench.time(10).steady)
    #expect(
      bench.session.wake(at: SessionBench.time(10)).commands
        == [.read(address, characteristic: try uuid("2A19"))])
  }

  @Test func `continues after a failed command`() throws {
    var bench = try SessionBench("sig-weight-scale")
    let write = try bench.connect(["2A2B", "2A08"]).commands
    #expect(write.count == 1)
    let next = bench.handle(
      .failed(address, LinkError(reason: "the scale refuses the time")), at: 1)
    #expect(next.failures.map(\.error) == [LinkError(reason: "the scale refuses the time")])
    #expect(next.commands.count == 1)
  }

  @Test func `sets the clock in the plans zone`() throws {
    let zone = try #require(TimeZone(secondsFromGMT: -8 * 3600))
    var bench = try SessionBench("sig-weight-scale", timeZone: zone)
    // 2027-01-15T08:00:00Z is midnight of a Friday there.
    let command = try #require(try bench.connect(["2A2B"]).commands.first)
    #expect(
      command
        == .write(
          address, characteristic: try uuid("2A2B"),
          data: [0xEB, 0x07, 1, 15, 0, 0, 0, 5, 0, 1], withResponse: true))
  }

  @Test func `confirms after the readings`() throws {
    var bench = try SessionBench("sig-weight-scale")
    let outputs = try bench.value("2A9D", "0e783eea07050c12353601ee002607", confirmation: 7)
    #expect(outputs.readings.map(\.value) == [79.96, 23.8, 1.83])
    #expect(
      outputs.last == .command(.confirm(Confirmation(address: address, number: 7))))
    #expect(outputs.count == 4)
  }

  @Test func `confirms unreadable frames`() throws {
    var bench = try SessionBench("sig-weight-scale")
    let outputs = try bench.value("2A9D", "0e", confirmation: 8)
    #expect(outputs.rejections.map(\.bytes) == [[0x0E]])
    #expect(outputs.commands == [.confirm(Confirmation(address: address, number: 8))])
  }

  @Test func `decodes a trace that begins in the middle`() throws {
    var bench = try SessionBench("sig-heart-rate")
    let readings = try bench.value("2A37", "1048 0004 0003").readings
    #expect(readings.map(\.quantity) == [.heartRate, .rrInterval, .rrInterval])
    #expect(readings.map(\.value) == [72, 1, 0.75])
    #expect(readings.map(\.ordinal) == [0, 0, 1])
    #expect(readings.map(\.isStreamed) == [true, true, true])
  }

  @Test func `decodes adopted characteristics without a record`() throws {
    var bench = try SessionBench("witmotion-bwt901ble")
    #expect(try bench.value("2A37", "0048").readings.map(\.value) == [72])
    #expect(try bench.value("2A00", "0048") == [])
  }

  @Test func `reports the loss of contact`() throws {
    var bench = try SessionBench("sig-heart-rate")
    #expect(
      try bench.value("2A37", "0400") == [
        .note(
          SessionNote(
            address: address, name: "Heart-rate sensor", kind: .frame(.noSkinContact)))
      ])
  }

  @Test func `stops the sensor before disconnecting`() throws {
    var bench = try SessionBench("polar-h10")
    _ = try bench.connect(["2A37", polarControl, polarData])
    #expect(
      bench.session.end(at: SessionBench.time(9)).commands == [
        .write(
          address, characteristic: try uuid(polarControl), data: [3, 2], withResponse: true),
        .disconnect(address),
      ])
  }

  @Test func `starts again on the next link`() throws {
    var bench = try SessionBench("sig-heart-rate")
    let first = try bench.connect(["2A37", "2A19"], at: 0)
    #expect(bench.handle(.disconnected(address), at: 1) == [])
    #expect(!bench.session.isLinked)
    #expect(bench.session.wakeAt == nil)
    // The pause is five seconds.
    #expect(bench.handle(advertisement(address), at: 5.9) == [])
    #expect(bench.handle(advertisement(address), at: 6) == [.command(.connect(address))])
    #expect(try bench.connect(["2A37", "2A19"], at: 7) == first)
  }

  @Test func `changes its definition by name`() throws {
    var bench = try SessionBench("sig-heart-rate")
    _ = bench.handle(advertisement(address))
    // The name is received before the link is up: the requested connection continues.
    let polar = try Repository.definition("polar-h10")
    #expect(bench.session.become(polar, at: SessionBench.time(1)) == [])
    #expect(bench.handle(advertisement(address), at: 2) == [])
    #expect(try bench.connect(["2A37", polarControl], at: 3).commands.count == 3)
    #expect(
      try bench.value("2A37", "0048", at: 4).readings.map(\.device.definition) == ["polar-h10"])
  }

  @Test func `changes its definition by services`() throws {
    var bench = try SessionBench("sig-heart-rate")
    _ = try bench.connect(["2A37", polarControl, polarData])
    let polar = try Repository.definition("polar-h10")
    let commands = bench.session.become(polar, at: SessionBench.time(1)).commands
    #expect(commands.count == 4)
    #expect(bench.session.isLinked)
    #expect(bench.session.wakeAt == SessionBench.time(6).steady)
    #expect(bench.session.become(polar, at: SessionBench.time(2)) == [])
  }

  @Test func `loses nothing on a change of definition`() throws {
    var bench = try SessionBench("xiaomi-mi-scale-2")
    _ = try bench.advertise(0x181B, "0224e607020e10293a00009a38")
    let scale = try Repository.definition("sig-weight-scale")
    let readings = bench.session.become(scale, at: SessionBench.time(1)).readings
    #expect(readings.map(\.value) == [72.45])
    #expect(readings.map(\.device.definition) == ["xiaomi-mi-scale-2"])
  }

  @Test func `retries a transient failure by itself`() throws {
    var bench = try SessionBench("sig-heart-rate")
    _ = bench.handle(advertisement(address))
    let failure = RadioEvent.failed(address, LinkError(.transient, reason: "aborted"))
    let report = LinkReport(
      name: "Heart-rate sensor", address: address, error: LinkError(.transient, reason: "aborted"),
      retryDelay: 0.25)
    #expect(bench.handle(failure, at: 1) == [.linkFailed(report)])
    #expect(bench.session.wakeAt == SessionBench.time(1.25).steady)
    #expect(
      bench.session.wake(at: SessionBench.time(1.25)) == [.command(.connect(address))])
    #expect(bench.session.wakeAt == nil)
  }

  /// Of ten devices that wake at once, some wait longer than others.
  @Test func `tells of no turn that comes a second later`() throws {
    var bench = try SessionBench("sig-heart-rate")
    _ = bench.handle(advertisement(address))
    #expect(bench.handle(.failed(address, LinkError(.transient, .displaced)), at: 1) == [])
    #expect(bench.session.wakeAt == SessionBench.time(2).steady)
  }

  @Test func `reports a stale bond and waits`() throws {
    var bench = try SessionBench("sig-glucose")
    _ = bench.handle(advertisement(address))
    let failure = RadioEvent.failed(address, LinkError(.staleBond, reason: "the key is missing"))
    #expect(
      bench.handle(failure, at: 1).failures == [
        LinkReport(
          name: "Glucose meter", address: address,
          error: LinkError(.staleBond, reason: "the key is missing"), retryDelay: 600)
      ])
    #expect(bench.session.wakeAt == nil)
    #expect(bench.handle(advertisement(address), at: 600) == [])
    #expect(bench.handle(advertisement(address), at: 601).commands.count == 1)
  }

  @Test func `reports a device that requires pairing`() throws {
    var bench = try SessionBench("sig-weight-scale")
    _ = try bench.connect(["2A9D"])
    let failure = RadioEvent.failed(address, LinkError(.unauthorized, reason: "refused"))
    #expect(
      bench.handle(failure, at: 1).failures == [
        LinkReport(
          name: "Weight scale", address: address,
          error: LinkError(.unauthorized, reason: "refused"),
          retryDelay: 15)
      ])
    _ = bench.handle(.disconnected(address), at: 2)
    #expect(bench.handle(advertisement(address), at: 15.9) == [])
    #expect(bench.handle(advertisement(address), at: 16).commands.count == 1)
  }

  @Test func `waits longer after each failure`() throws {
    var bench = try SessionBench("sig-heart-rate")
    var time = 0.0
    for pause in [1.0, 2, 4, 8, 16, 32, 60, 60] {
      #expect(bench.handle(advertisement(address), at: time).commands == [.connect(address)])
      #expect(
        bench.handle(.failed(address, LinkError(reason: "no answer")), at: time).failures.map(
          \.retryDelay) == [pause])
      #expect(bench.handle(advertisement(address), at: time + pause - 0.01) == [])
      time += pause
    }
  }
}
