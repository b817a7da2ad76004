package import ArgumentParser
import Terminal

/// The commands of people and of their programs: each performs an action or shows what is stored.
package enum CareCommands {
  /// The commands, in the order of the program's help.
  package static var all: [any ParsableCommand.Type] {
    [
      PlanCommand.self, ScheduleCommand.self, TodayCommand.self, WeekCommand.self,
      DoneCommand.self, UndoCommand.self, PutBackCommand.self, SnoozeCommand.self,
      EventsCommand.self, OutcomeCommand.self, AdherenceCommand.self, SamplesCommand.self,
      ImportCommand.self, TasksCommand.self, TaskCommand.self, PatientCommand.self,
      ContactsCommand.self, ConsentCommand.self, StoreCommand.self, OutletCommand.self,
      MessageCommand.self, CentreCommand.self, JoinCommand.self, LeaveCommand.self,
      SyncCommand.self, SetupCommand.self, QuantitiesCommand.self, ScanCommand.self,
      IdentifyCommand.self, PairCommand.self, ForgetCommand.self, RecordCommand.self,
      AccessCommand.self,
    ]
  }
}
