import ArgumentParser
import Care
import CareStore
import Foundation
import Plans

/// `measured plan`.
struct PlanCommand: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "plan",
    abstract: "Checks, imports and exports care plans (YAML or JSON).",
    discussion: """
      Example:
        measured plan validate plan.yaml
        measured plan import plan.yaml --store week.sqlite
      """,
    subcommands: [Validate.self, Import.self, Export.self])

  /// `measured plan validate`.
  struct Validate: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Checks a plan, and reports mistakes with file and line.",
      discussion: "Example:\n  measured plan validate plan.yaml")

    @Argument(help: "The plan; - is standard input.")
    var file: String

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let plan = try PlanFile.load(file)
        guard !json else {
          Console.json(
            Summary(
              file: file, patients: plan.patients.count, tasks: plan.tasks.count,
              devices: plan.devices.count))
          return
        }
        Console.out(
          "\(file): a valid plan with \(plan.patients.count) patient(s), \(plan.tasks.count) task(s)"
            + " and \(plan.devices.count) device(s), in \(plan.timeZone.identifier)")
      }
    }

    struct Summary: Encodable {
      var file: String
      var patients: Int
      var tasks: Int
      var devices: Int
    }
  }

  /// `measured plan import`.
  struct Import: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Imports a plan into a store, in one transaction.",
      discussion: """
        A task that is unchanged keeps its version; a task that differs gets a new version; tasks \
        that are missing from the file stay.

        Example:
          measured plan import plan.yaml --store week.sqlite
        """)

    @Argument(help: "The plan; - is standard input.")
    var file: String

    @Option(help: "The store's file. Default: the user's own store.")
    var store: String?

    @Flag(help: "Print JSON Lines.")
    var json = false

    func run() async throws {
      try await reporting(isJSON: json) {
        let plan = try PlanFile.load(file)
        var options = StoreOptions()
        options.store = store
        options.patient = nil
        let now = Date()
        let results = try await options.open().write { try $0.importPlan(plan, now: now) }
        for result in results {
          if json {
            Console.json(Line(result))
          } else {
            Console.out("\(result.patient)/\(result.task): \(result.change.text)")
          }
        }
        if !json, results.allSatisfy({ $0.change == .unchanged }) {
          Console.out("Nothing changed: the store has this plan already.")
        }
      }
    }

    struct Line: Encodable {
      var patient: String
      var task: String
      var change: String
      var version: Int?

      init(_ result: PlanImportResult) {
        patient = result.patient
        task = result.task
        switch result.change {
        case .added: (change, version) = ("added", 1)
        case .unchanged: change = "unchanged"
        case .updated(let number): (change, version) = ("updated", number)
        }
      }
    }
  }

  /// `measured plan export`.
  struct Export: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
      abstract: "Writes a store's plan as YAML that can be imported again.",
      discussion: "Example:\n  measured plan export plan.yaml --store week.sqlite")

    @Argument(help: "The file to write; - is standard output.")
    var file: String = "-"

    @OptionGroup var storage: StoreOptions

    @Flag(help: "Replace the file if it exists.")
    var force = false

    func run() async throws {
      let patient = storage.patient
      let plan = try await storage.openExisting().read { reader in
        try storage.checkPatient(reader)
        return try PlanDocument(current: reader, patient: patient)
      }
      let text = PlanFile.encode(plan)
      guard file != "-" else {
        Console.write(text, to: .standardOutput)
        return
      }
      guard force || !FileManager.default.fileExists(atPath: file) else {
        throw CommandFailure(.failed, "\(file) exists; add --force to replace it")
      }
      do {
        try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
      } catch {
        throw CommandFailure(.failed, "\(file) cannot be written: \(Message.of(error))")
      }
    }
  }
}

extension PlanDocument {
  /// The store's current plan: the newest version of every task.
  init(current reader: any StoreReader, patient: String?) throws {
    let versions = try reader.taskVersions(patient: patient)
    var newest: [String: CareTask] = [:]
    var order: [String] = []
    for task in versions {
      let key = "\(task.patient)/\(task.id)"
      if newest[key] == nil { order.append(key) }
      newest[key] = task
    }
    self.init(
      timeZone: try reader.planTimeZone() ?? .gmt,
      patients: try reader.patients().filter { patient == nil || $0.id == patient },
      tasks: order.compactMap { newest[$0].map(PlannedTask.init) },
      devices: try reader.deviceBindings().filter { patient == nil || $0.patient == patient })
  }
}

extension PlannedTask {
  /// The plan's description of a task version.
  init(_ task: CareTask) {
    self.init(
      id: task.id, patient: task.patient, kind: task.kind, title: task.title,
      instructions: task.instructions, schedule: task.schedule, linkage: task.linkage,
      activeTask: task.activeTask, isOptional: task.isOptional, isResettable: task.isResettable,
      effectiveDate: task.effectiveDate == task.schedule.startDate ? nil : task.effectiveDate)
  }
}
