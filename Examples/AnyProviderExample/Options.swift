/// What the command line asks for.
struct Options {
  private(set) var providers: [ProviderName] = []
  private(set) var largeFileByteCount = 24 << 20
  private(set) var isLocalOnly = false

  init(_ arguments: ArraySlice<String>) throws {
    var rest = arguments
    while let argument = rest.popFirst() {
      switch argument {
      case "--local": isLocalOnly = true
      case "--size":
        guard let text = rest.popFirst(), let size = Int(text), size > 0 else {
          throw ExampleError("--size needs a number of bytes.")
        }
        largeFileByteCount = size
      default:
        guard let provider = ProviderName(rawValue: argument) else {
          let names = ProviderName.allCases.map(\.rawValue).joined(separator: ", ")
          throw ExampleError("\"\(argument)\" is not a provider; use \(names), --size BYTES or --local.")
        }
        providers.append(provider)
      }
    }
    if providers.isEmpty { providers = ProviderName.allCases }
  }
}

/// Why the example stopped.
struct ExampleError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
