internal import StorageAuth

/// The operations of a service, and what the parameters of a request mean to them.
struct OperationTable: Sendable {
  /// The forms of the requests that ask for an operation.
  let routes: [OperationRoute]

  /// The names of the parameters.
  let names: ParameterNames

  /// The parameters that every operation takes.
  private let common: Set<String>

  /// The parameters that an operation takes which carries the bytes of an object.
  private let ofTransfers: Set<String>

  /// The names as the routes spell them, by their lower-case forms.
  private let spellings: [String: String]

  /// Makes a table.
  ///
  /// - Parameters:
  ///   - routes: The forms of the requests.
  ///   - names: The names of the parameters.
  ///   - common: The parameters that every operation takes.
  ///   - ofTransfers: The parameters that an operation takes which carries the bytes of an object.
  init(_ routes: [OperationRoute], _ names: ParameterNames, common: Set<String> = [], ofTransfers: Set<String> = []) {
    self.routes = routes
    self.names = names
    self.common = common
    self.ofTransfers = ofTransfers
    let spelled = routes.reduce(into: Set<String>()) { $0.formUnion($1.selectors.union($1.options)) }
    spellings = Dictionary(spelled.map { ($0.asciiLowercased, $0) }) { first, _ in first }
  }

  /// The target as the service reads it: names in any case where it takes no notice of that.
  func read(_ target: RequestTarget) -> RequestTarget { names.ignoresCase ? target.ignoringCase : target }

  /// All parameters that a request for an operation may have.
  func parameters(of route: OperationRoute) -> Set<String> {
    let names = route.selectors.union(route.options).union(common)
    return route.operation.isTransfer ? names.union(ofTransfers) : names
  }

  /// A parameter's name as the routes spell it.
  func spelling(of name: String) -> String {
    guard names.ignoresCase else { return name }
    let lowercased = name.asciiLowercased
    return spellings[lowercased] ?? lowercased
  }
}
