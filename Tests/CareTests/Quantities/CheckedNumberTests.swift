@testable import Care
import Foundation
import TestSupport
import Testing

struct CheckedNumberTests {
  @Test(arguments: [
    (0.0, 0), (2.9, 2), (-2.9, -2), (1e300, .max), (-1e300, .min), (.infinity, .max),
    (-.infinity, .min), (.nan, 0), (0x1p63, .max), (-0x1p63, .min),
    (9.2e18, 9_200_000_000_000_000_000),
  ])
  func `a number becomes the nearest whole one`(number: Double, whole: Int) {
    #expect(Int(saturating: number) == whole)
  }

  @Test func `smaller types end where they end`() {
    #expect(UInt8(saturating: 300) == 255)
    #expect(UInt8(saturating: -1) == 0)
    #expect(Int32(saturating: -1e10) == .min)
  }

  @Test(arguments: [
    (3, 4, 12), (.max, 2, .max), (.max, -2, .min), (.min, -1, .max), (.min, .min, .max),
    (0, .min, 0),
  ])
  func `a product stays in range`(a: Int, b: Int, product: Int) {
    #expect(a.saturatingProduct(b) == product)
  }

  @Test(arguments: [(1, 2, 3), (Int.max, 1, Int.max), (Int.min, -1, Int.min)])
  func `a sum stays in range`(a: Int, b: Int, sum: Int) {
    #expect(a.saturatingSum(b) == sum)
  }

  @Test(arguments: [(1.5, 1.5), (.nan, 0), (.infinity, .greatestFiniteMagnitude)])
  func `a number can always be written as JSON`(number: Double, saturated: Double) {
    #expect(number.saturated == saturated)
  }

  // MARK: Beyond the compiler

  /// The rooms that take numbers from outside.
  private static let rooms = [
    "Care", "Agenda", "CareStore", "Plans", "Pages", "Localization", "Interchange", "Actions",
    "Hub", "measured", "DeviceCatalog", "Traces", "Assessments", "Web",
  ]

  /// The compiler refuses `Int(_: Double)` where `Care` is imported.
  ///
  /// In any other file of these rooms nothing may look like it.
  @Test func `every whole number of a decimal one is checked`() throws {
    let sources = URL(filePath: #filePath).deletingLastPathComponent()
      .appending(path: "../../../Sources").standardized
    let conversion = /(^|[^A-Za-z0-9_.])U?Int(8|16|32|64)?\((?![a-z]+:)(?<argument>.*)$/
    let decimal =
      /\.rounded\(|squareRoot\(|Double\(|timeInterval|[0-9]\.[0-9]|[0-9]e[0-9]|[sS]econds\b/
    var found: [String] = []
    var count = 0
    for room in Self.rooms where room != "Care" {
      let files = FileManager.default.enumerator(
        at: sources.appending(path: room), includingPropertiesForKeys: nil)
      for case let file as URL in files ?? .init() where file.pathExtension == "swift" {
        count += 1
        let text = try String(contentsOf: file, encoding: .utf8)
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        guard !lines.contains(where: { $0.hasSuffix("import Care") }) else { continue }
        for (number, line) in lines.enumerated() {
          guard let match = line.firstMatch(of: conversion),
            match.output.argument.contains(decimal)
          else { continue }
          found.append("\(file.lastPathComponent):\(number + 1): \(line)")
        }
      }
    }
    #expect(count > 300)
    #expect(found.isEmpty, "import Care, which checks it: \(found)")
  }
}
