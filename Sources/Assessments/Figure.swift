package import Care

/// A figure of an assessment, and how it is taken from the assessment's output.
package struct Figure<Output>: Sendable {
  /// Its name, unit and meaning.
  package let description: FigureDescription
  private let read: @Sendable (Output) -> [Value]

  /// The figure's values in `output`: none for an absent optional one, several for a repeated one.
  package func values(of output: Output) -> [FigureValue] {
    read(output).map { FigureValue(figure: description, value: $0) }
  }

  private init(
    _ kind: String, _ unit: UnitOfMeasure?, quantity: Quantity? = nil,
    _ presence: FigureDescription.Presence, _ meaning: String,
    _ read: @escaping @Sendable (Output) -> [Value]
  ) {
    description = FigureDescription(
      kind: kind, unit: unit, quantity: quantity, presence: presence, meaning: meaning)
    self.read = read
  }

  /// A number that is stored as a sample of `quantity`, in its unit.
  static func result(
    _ kind: String, _ quantity: Quantity, _ meaning: String,
    _ value: @escaping @Sendable (Output) -> Double
  ) -> Figure {
    Figure(kind, quantity.unit, quantity: quantity, .always, meaning) { [.double(value($0))] }
  }

  /// A number that is stored as a sample of `quantity` if it is present.
  static func optionalResult(
    _ kind: String, _ quantity: Quantity, _ meaning: String,
    _ value: @escaping @Sendable (Output) -> Double?
  ) -> Figure {
    Figure(kind, quantity.unit, quantity: quantity, .optional, meaning) { output in
      value(output).map { [.double($0)] } ?? []
    }
  }

  /// A number beside the result.
  static func number(
    _ kind: String, _ unit: UnitOfMeasure, _ meaning: String,
    _ value: @escaping @Sendable (Output) -> Double
  ) -> Figure {
    Figure(kind, unit, .always, meaning) { [.double(value($0))] }
  }

  /// A number beside the result that can be absent.
  static func optional(
    _ kind: String, _ unit: UnitOfMeasure, _ meaning: String,
    _ value: @escaping @Sendable (Output) -> Double?
  ) -> Figure {
    Figure(kind, unit, .optional, meaning) { output in value(output).map { [.double($0)] } ?? [] }
  }

  /// Numbers beside the result under one name.
  static func repeated(
    _ kind: String, _ unit: UnitOfMeasure, _ meaning: String,
    _ values: @escaping @Sendable (Output) -> [Double]
  ) -> Figure {
    Figure(kind, unit, .repeated, meaning) { values($0).map { .double($0) } }
  }

  /// A whole number beside the result.
  static func count(
    _ kind: String, _ meaning: String, _ value: @escaping @Sendable (Output) -> Int
  ) -> Figure {
    Figure(kind, .one, .always, meaning) { [.integer(Int64(value($0)))] }
  }

  /// Whole numbers beside the result under one name.
  static func repeatedCount(
    _ kind: String, _ meaning: String, _ values: @escaping @Sendable (Output) -> [Int]
  ) -> Figure {
    Figure(kind, .one, .repeated, meaning) { values($0).map { .integer(Int64($0)) } }
  }

  /// Whether something holds.
  static func truth(
    _ kind: String, _ meaning: String, _ value: @escaping @Sendable (Output) -> Bool
  ) -> Figure {
    Figure(kind, nil, .always, meaning) { [.boolean(value($0))] }
  }

  /// Whether something holds, if that can be said.
  static func optionalTruth(
    _ kind: String, _ meaning: String, _ value: @escaping @Sendable (Output) -> Bool?
  ) -> Figure {
    Figure(kind, nil, .optional, meaning) { output in value(output).map { [.boolean($0)] } ?? [] }
  }

  /// One of a few words.
  static func word(
    _ kind: String, _ meaning: String, _ value: @escaping @Sendable (Output) -> String
  ) -> Figure {
    Figure(kind, nil, .always, meaning) { [.text(value($0))] }
  }
}

/// The name, unit and meaning of a figure.
package struct FigureDescription: Hashable, Sendable {
  /// How often a figure stands in a result.
  package enum Presence: Hashable, Sendable {
    /// Once.
    case always
    /// Once or not at all.
    case optional
    /// Any number of times.
    case repeated
  }

  /// Its name in events, in JSON and in targets: `range`, `total`.
  package var kind: String
  /// Its unit; `nil` for a truth or a word.
  package var unit: UnitOfMeasure?
  /// The quantity of the sample that it is stored as; `nil` for a figure of the outcome alone.
  package var quantity: Quantity?
  /// How often it stands in a result.
  package var presence: Presence
  /// The meaning, for the documents.
  package var meaning: String

  /// The confidence in the figures, the last value of every event.
  package static let confidence = FigureDescription(
    kind: "confidence", unit: nil, quantity: nil, presence: .always,
    meaning: "`good`, or `low` if the figures stand with a doubt")
}

/// A value of a figure.
package struct FigureValue: Hashable, Sendable {
  /// The figure.
  package var figure: FigureDescription
  /// The value, in the figure's unit.
  package var value: Value

  /// Makes a value.
  package init(figure: FigureDescription, value: Value) {
    self.figure = figure
    self.value = value
  }
}

extension Double {
  /// The number of which `count` is in thousandths: metres from millimetres, hertz from millihertz.
  package init(thousandths count: some BinaryInteger) { self = Double(count) / 1_000 }

  /// The number of which `count` is in millionths: seconds from microseconds.
  package init(millionths count: some BinaryInteger) { self = Double(count) / 1_000_000 }
}
