import Care
import CareStore
import Foundation
import Interchange
import Terminal

/// Where the resources of a store go: a transaction in a file, or a file of lines for each type.
final class FHIROutput {
  private let target: String
  private let isBulk: Bool
  /// The files, by type of resource; the only one under an empty name.
  private var files: [String: OutputFile.Replacement] = [:]
  /// How many resources were written.
  private(set) var count = 0

  /// Begins the output.
  ///
  /// - Parameters:
  ///   - target: The file; `-` is standard output; of bulk files the folder, made if it is missing.
  ///   - isBulk: Whether each type has a file.
  /// - Throws: `StoreError.notWritten(_:file:)`, or what the system says of the folder.
  init(_ target: String, isBulk: Bool) throws {
    self.target = target
    self.isBulk = isBulk
    if isBulk {
      try FileManager.default.createDirectory(
        atPath: target, withIntermediateDirectories: true,
        attributes: [.posixPermissions: 0o700])
    } else if target != "-" {
      files[""] = try OutputFile.Replacement(of: target, id: UUID())
    }
  }

  /// Writes a resource.
  func write(_ resource: FHIRValue) throws {
    defer { count += 1 }
    guard !isBulk else {
      let type = resource.resourceType ?? ""
      let path = (target as NSString).appendingPathComponent(type + ".ndjson")
      let file = try files[type] ?? OutputFile.Replacement(of: path, id: UUID())
      files[type] = file
      return try file.write(FHIRJSON.text(of: resource) + Data("\n".utf8))
    }
    try line(count == 0 ? #"{"resourceType":"Bundle","type":"transaction","entry":["# : ",")
    try line(String(decoding: FHIRJSON.text(of: resource.transactionEntry), as: UTF8.self))
  }

  private func line(_ text: String) throws {
    guard let file = files[""] else { return Console.data(text) }
    try file.write(Data((text + "\n").utf8))
  }

  /// Puts the files in their places.
  func finish() throws {
    if !isBulk {
      // A list without an element is no FHIR.
      try line(count == 0 ? #"{"resourceType":"Bundle","type":"transaction"}"# : "]}")
    }
    for file in files.values { try file.finish() }
  }
}

extension FHIRCoder {
  /// The coder of a plan that leaves; schedules that FHIR has no rule for are written for a year.
  init(of plan: PlanDocument, mapping: String?, now: Date) throws {
    self.init(
      timeZone: plan.timeZone, horizon: now..<now + 366 * 86_400)
    if let mapping { self.mapping = try FHIRMapping(file: mapping) }
  }
}
