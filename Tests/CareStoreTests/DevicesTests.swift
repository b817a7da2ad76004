import Care
import Foundation
import GRDB
import Motion
import TestSupport
import Testing

@testable import CareStore

struct CalibrationsTests {
  private func calibration(
    _ address: DeviceID = "D2:4F:71:00:00:03", x: Int32 = 12_000
  ) -> SensorCalibration {
    SensorCalibration(
      address: address, method: .sixPositions,
      calibration: AccelerometerCalibration(
        offset: Vector3(x: x, y: -7, z: .min), scale: Vector3(x: 1 << 24, y: .max, z: 3)),
      createdDate: midnight)
  }

  private func calibrations(_ store: SQLStore) async throws -> [SensorCalibration] {
    try await store.read { try $0.calibrations() }
  }

  @Test
  func `they are stored unchanged, by address, also after the store is opened again`() async throws
  {
    let scratch = try ScratchDirectory()
    let place = try TestEngine.makePlace(scratch.file("care.db"))
    let store = try SQLStore.example(at: place)
    let (one, other) = (calibration(), calibration("left-thigh", x: 5))
    try await store.write { writer in
      try writer.setCalibration(other)
      try writer.setCalibration(one)
    }
    #expect(try await calibrations(store) == [one, other])
    try store.close()
    #expect(try await calibrations(.example(at: place)) == [one, other])
  }

  @Test
  func `a sensor has one: the newer replaces the older, in any spelling`() async throws {
    let store = try SQLStore.example()
    let newer = calibration("d2:4f:71:00:00:03", x: 9)
    try await store.write { [older = calibration()] writer in
      try writer.setCalibration(older)
      try writer.setCalibration(newer)
    }
    #expect(try await calibrations(store) == [newer])
  }

  @Test
  func `a deleted one is gone, and one that does not exist is unknown`() async throws {
    let store = try SQLStore.example()
    try await store.write { [one = calibration()] in try $0.setCalibration(one) }
    try await store.write { try $0.deleteCalibration(of: "d2:4f:71:00:00:03") }
    #expect(try await calibrations(store) == [])
    await #expect(throws: StoreError.unknown(.calibration("left-thigh"))) {
      try await store.write { try $0.deleteCalibration(of: "left-thigh") }
    }
  }

  @Test
  func `every change raises the plan's revision`() async throws {
    let store = try SQLStore.example()
    func revision() async throws -> Int64 { try await store.read { try $0.planRevision() } }
    let before = try await revision()
    try await store.write { [one = calibration()] in try $0.setCalibration(one) }
    #expect(try await revision() == before + 1)
    try await store.write { try $0.deleteCalibration(of: "D2:4F:71:00:00:03") }
    #expect(try await revision() == before + 2)
  }
}
