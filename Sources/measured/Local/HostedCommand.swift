import ArgumentParser
import Foundation

/// A command that works with a store, so that a daemon that has the store open runs it.
///
/// This file names every one of them. Such a command uses ``StoreFileOptions`` and ``CommandFiles``
/// for what it opens, ``Console`` for what it says, and no other part of its process.
protocol HostedCommand: ParsableCommand {
  /// The store and files that the command opens; `nil` if it needs no store.
  var hosting: Hosting? { get }
}

/// The store and files that a command opens.
struct Hosting {
  /// The store of `--store`; `nil` for the default one.
  var store: String?
  /// The files that it reads.
  var inputs: [String] = []
  /// The folder whose definitions it reads.
  var folder: String?
  /// The file that it writes.
  var output: String?

  init(
    _ file: StoreFileOptions, reads inputs: [String] = [], folder: String? = nil,
    writes output: String? = nil
  ) {
    self.init(store: file.store, reads: inputs, folder: folder, writes: output)
  }

  init(
    store: String?, reads inputs: [String] = [], folder: String? = nil, writes output: String? = nil
  ) {
    self.store = store
    self.inputs = inputs
    self.folder = folder
    self.output = output == "-" ? nil : output
  }
}

// MARK: - The commands

extension TodayCommand: HostedCommand { var hosting: Hosting? { Hosting(storage.file) } }
extension WeekCommand: HostedCommand { var hosting: Hosting? { Hosting(storage.file) } }
extension EventsCommand: HostedCommand { var hosting: Hosting? { Hosting(storage.file) } }
extension AdherenceCommand: HostedCommand { var hosting: Hosting? { Hosting(storage.file) } }
extension TasksCommand: HostedCommand { var hosting: Hosting? { Hosting(storage.file) } }
extension ContactsCommand: HostedCommand { var hosting: Hosting? { Hosting(storage.file) } }

extension DoneCommand: HostedCommand {
  var hosting: Hosting? { Hosting(answer.storage.file, reads: file.map(\.path)) }
}
extension UndoCommand: HostedCommand { var hosting: Hosting? { Hosting(answer.storage.file) } }
extension OutcomeCommand.Set: HostedCommand {
  var hosting: Hosting? { Hosting(reference.storage.file) }
}
extension OutcomeCommand.Delete: HostedCommand {
  var hosting: Hosting? { Hosting(reference.storage.file) }
}

extension SamplesCommand.List: HostedCommand { var hosting: Hosting? { Hosting(storage.file) } }
extension SamplesCommand.Assign: HostedCommand { var hosting: Hosting? { Hosting(change.file) } }
extension SamplesCommand.Unassign: HostedCommand { var hosting: Hosting? { Hosting(change.file) } }
extension SamplesCommand.Delete: HostedCommand { var hosting: Hosting? { Hosting(change.file) } }
extension SamplesCommand.Restore: HostedCommand { var hosting: Hosting? { Hosting(change.file) } }
extension SamplesCommand.Correct: HostedCommand { var hosting: Hosting? { Hosting(file) } }

extension TaskCommand.End: HostedCommand { var hosting: Hosting? { Hosting(options.file) } }
extension TaskCommand.Delete: HostedCommand { var hosting: Hosting? { Hosting(options.file) } }
extension TaskCommand.Revive: HostedCommand { var hosting: Hosting? { Hosting(options.file) } }
extension TaskCommand.Settle: HostedCommand { var hosting: Hosting? { Hosting(options.file) } }

extension PatientCommand.List: HostedCommand { var hosting: Hosting? { Hosting(file) } }
extension PatientCommand.Rename: HostedCommand { var hosting: Hosting? { Hosting(file) } }
extension PatientCommand.Delete: HostedCommand { var hosting: Hosting? { Hosting(options.file) } }
extension PatientCommand.Revive: HostedCommand { var hosting: Hosting? { Hosting(options.file) } }
extension PatientCommand.Settle: HostedCommand { var hosting: Hosting? { Hosting(options.file) } }

extension PlanCommand.Import: HostedCommand {
  var hosting: Hosting? { Hosting(storage, reads: [file], folder: catalog.folder) }
}
extension PlanCommand.Diff: HostedCommand {
  var hosting: Hosting? { Hosting(storage, reads: [file], folder: catalog.folder) }
}
extension PlanCommand.Undo: HostedCommand { var hosting: Hosting? { Hosting(storage) } }
extension PlanCommand.Rules.Show: HostedCommand { var hosting: Hosting? { Hosting(storage.file) } }
extension PlanCommand.Rules.Undo: HostedCommand { var hosting: Hosting? { Hosting(storage) } }
extension PlanCommand.Export: HostedCommand {
  var hosting: Hosting? { Hosting(storage.file, writes: file) }
}

extension CalibrateCommand.Find: HostedCommand {
  var hosting: Hosting? { Hosting(storage, reads: motion.files) }
}
extension CalibrateCommand.List: HostedCommand { var hosting: Hosting? { Hosting(storage) } }
extension CalibrateCommand.Delete: HostedCommand { var hosting: Hosting? { Hosting(storage) } }

extension StoreCommand.Check: HostedCommand { var hosting: Hosting? { Hosting(file) } }
extension StoreCommand.Backup: HostedCommand {
  var hosting: Hosting? { Hosting(file, writes: target) }
}
extension StoreCommand.Restore: HostedCommand {
  var hosting: Hosting? { Hosting(file, reads: [backup]) }
}
extension StoreCommand.Export: HostedCommand {
  var hosting: Hosting? { Hosting(file, writes: target) }
}
extension StoreCommand.Import: HostedCommand {
  var hosting: Hosting? { Hosting(file, reads: [source]) }
}
extension StoreCommand.Erase: HostedCommand { var hosting: Hosting? { Hosting(file) } }

extension ReplayCommand: HostedCommand {
  /// A replay into a temporary store is the client's own.
  var hosting: Hosting? {
    store.map {
      Hosting(
        store: $0, reads: traces + [plan].compactMap(\.self), folder: catalog.folder)
    }
  }
}
