// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import StorageAuth

/// The operations and query parameters of a storage service.
struct OperationTable: Sendable {
  /// The request patterns of the service's operations.
  let routes: [OperationRoute]

  /// The classification of the service's query parameter names.
  let names: ParameterNames

  /// The names of the query parameters that every operation supports.
  private let common: Set<String>

  /// The names of the query parameters that all operations on an object's bytes support.
  private let ofTransfers: Set<String>

  /// The spelling of the query parameters in the request patterns, by lowercase name.
  private let spellings: [String: String]

  /// Creates the operation table of a service.
  ///
  /// - Parameters:
  ///   - routes: The request patterns of the service's operations.
  ///   - names: The classification of the service's query parameter names.
  ///   - common: The names of the query parameters that every operation supports.
  ///   - ofTransfers: The names of the query parameters that all operations on an object's bytes support.
  init(_ routes: [OperationRoute], _ names: ParameterNames, common: Set<String> = [], ofTransfers: Set<String> = []) {
    self.routes = routes
    self.names = names
    self.common = common
    self.ofTransfers = ofTransfers
    let spelled = routes.reduce(into: Set<String>()) { $0.formUnion($1.selectors.union($1.options)) }
    spellings = Dictionary(spelled.map { ($0.asciiLowercased, $0) }) { first, _ in first }
  }

  /// Returns the names of all query parameters that a request for an operation can have.
  func parameters(of route: OperationRoute) -> Set<String> {
    let names = route.selectors.union(route.options).union(common)
    return route.operation.isTransfer ? names.union(ofTransfers) : names
  }

  /// Returns the name of a query parameter as the request patterns of the service spell it.
  func spelling(of name: String) -> String {
    guard names.ignoresCase else { return name }
    let lowercased = name.asciiLowercased
    return spellings[lowercased] ?? lowercased
  }
}
