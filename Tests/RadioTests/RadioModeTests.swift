import Radio
import Testing

@Suite struct RadioModeTests {
  @Test(arguments: [
    (true, true, RadioMode.bluetoothd), (true, false, .bluetoothd), (false, true, .bluetoothd),
    (false, false, .kernel),
  ])
  func `chooses bluetoothd wherever it may run`(isOwned: Bool, isInstalled: Bool, mode: RadioMode) {
    #expect(RadioMode.automatic(.init(isOwned: isOwned, isInstalled: isInstalled)) == mode)
  }
}
