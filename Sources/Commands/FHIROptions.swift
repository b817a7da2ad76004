import ArgumentParser
import Interchange
import Terminal

/// The flags of a command that reads what another system wrote.
struct FHIROptions: ParsableArguments {
  @Option(help: "Of FHIR: a file with codes, ids and names of the other system (docs/fhir.md).")
  var mapping: String?

  @Option(help: "Of FHIR: whose it is, by the store's id, whatever it says.")
  var patient: String?

  @Option(help: "Of FHIR: the day on which schedules begin that do not say it.")
  var start: String?

  /// The additions of a person to a resource, with the names of an outlet.
  func reading(of outlet: OutletSettings?) throws -> FHIRAdditions {
    let names =
      try outlet?.names(in: mapping) ?? mapping.map { try FHIRMapping(file: $0) } ?? FHIRMapping()
    return FHIRAdditions(names: names, patient: patient, start: start)
  }
}
