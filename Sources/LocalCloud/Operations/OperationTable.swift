// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The operations of a service and its query parameters.
struct OperationTable: Sendable {
  /// The patterns of the requests for each operation.
  let routes: [OperationRoute]

  /// The query parameters of the service.
  let names: ParameterNames

  /// The parameters that every operation supports.
  private let common: Set<String>

  /// The parameters that every operation on the bytes of an object supports.
  private let ofTransfers: Set<String>

  /// The spelling of the parameters in the routes, by lower-case name.
  private let spellings: [String: String]

  /// Creates a table.
  ///
  /// - Parameters:
  ///   - routes: The patterns of the requests.
  ///   - names: The query parameters of the service.
  ///   - common: The parameters that every operation supports.
  ///   - ofTransfers: The parameters that every operation on the bytes of an object supports.
  init(_ routes: [OperationRoute], _ names: ParameterNames, common: Set<String> = [], ofTransfers: Set<String> = []) {
    self.routes = routes
    self.names = names
    self.common = common
    self.ofTransfers = ofTransfers
    let spelled = routes.reduce(into: Set<String>()) { $0.formUnion($1.selectors.union($1.options)) }
    spellings = Dictionary(spelled.map { ($0.asciiLowercased, $0) }) { first, _ in first }
  }

  /// Returns the target as the service reads it, with case-insensitive parameter names if the service ignores case.
  func read(_ target: RequestTarget) -> RequestTarget { names.ignoresCase ? target.ignoringCase : target }

  /// Returns all parameters that a request for an operation may have.
  func parameters(of route: OperationRoute) -> Set<String> {
    let names = route.selectors.union(route.options).union(common)
    return route.operation.isTransfer ? names.union(ofTransfers) : names
  }

  /// Returns a parameter's name as the routes spell it.
  func spelling(of name: String) -> String {
    guard names.ignoresCase else { return name }
    let lowercased = name.asciiLowercased
    return spellings[lowercased] ?? lowercased
  }
}
