import Testing
@testable import Web
