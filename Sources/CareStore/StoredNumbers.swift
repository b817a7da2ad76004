// Every row that stores exchange has a number: how many numbers this store had given when the row was
// stored, was changed, or began to concern another person. A reader that asks for the rows after the
// last number that it has seen misses none. The count is a column of its own that never goes back:
// the engine itself numbers the next row after the last one that is left, so that an erasure would
// repeat numbers.

extension SQLTransaction {
  /// The number of a row that is stored or changed now.
  func nextStored() throws -> Int64 {
    let next = try lastStored() + 1
    state.stored = next
    return next
  }

  /// The last number that was given.
  package func lastStored() throws -> Int64 {
    if let stored = state.stored { return stored }
    let stored: Int64 = try row("SELECT stored FROM store")?.required("stored") ?? 0
    state.stored = stored
    return stored
  }

  /// The number of the next row of a numbered table whose rows are all stored under such a number.
  func nextNumber(of table: Table) throws -> Int64 {
    if try hasErasures() { return try lastStored() + 1 }
    let last =
      try state.numbers[table.name]
      ?? row("SELECT max(number) AS most FROM \(table.name)")?.optional("most") ?? 0
    state.numbers[table.name] = last + 1
    return last + 1
  }

  /// Gives numbered rows new numbers, in their order.
  func renumber(_ table: Table, _ condition: String, _ arguments: Arguments) throws {
    let last = try lastStored()
    try execute(
      "UPDATE \(table.name) SET stored = \(last) + number WHERE \(condition)", arguments)
    let most: Int64? = try row("SELECT max(number) AS most FROM \(table.name)")?.optional("most")
    state.stored = last + (most ?? 0)
  }

  /// Stores the count at the end of the transaction that gave numbers.
  func keepStored() throws {
    guard let stored = state.stored else { return }
    try execute("UPDATE store SET stored = ? WHERE stored < ?", [stored, stored])
  }
}
