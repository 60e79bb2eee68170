internal import StorageJSON

/// The calls of a Node API that set transfers up: what is asked, and what the answer says.
///
/// A node checks what it is asked for, and answers with a specification and a token for each transfer.
package enum NodeSetup {
  /// How long a token lives if nobody says it; the node's own default.
  package static let assumedLife = Duration.seconds(86_400)

  /// The path of the call, below the address of the node.
  package static func path(for direction: TransferDirection) -> String {
    switch direction {
    case .send: "/files/upload_setup"
    case .receive: "/files/download_setup"
    }
  }

  /// The body of a call.
  ///
  /// - Parameters:
  ///   - specifications: The transfers; all of them go in one direction.
  ///   - tokenLifetime: How long the tokens are to live, in whole seconds; the node decides if it is not given.
  /// - Throws: An ``AsperaError`` if there is no transfer, or one that has no direction, another one, or no paths.
  package static func body(
    for specifications: [TransferSpec], tokenLifetime: Duration? = nil
  ) throws(AsperaError) -> [UInt8] {
    guard !specifications.isEmpty else {
      throw AsperaError(.invalidSpecification, "There is no transfer to set up.", remedy: "Ask for one at least.")
    }
    guard Set(specifications.map(\.direction)).count == 1, specifications[0].direction != nil else {
      throw AsperaError(
        .invalidSpecification, "The transfers to set up have no direction, or not all the same.",
        remedy: "Set direction to send or receive, and ask for uploads and downloads apart.")
    }
    var requests: [JSONValue] = []
    for specification in specifications {
      requests.append(["transfer_request": .object(try request(for: specification, tokenLifetime))])
    }
    let body: JSONValue = ["transfer_requests": .array(requests)]
    return body.serialized
  }

  /// What an answer says about each transfer, in the order in which they were asked for.
  ///
  /// - Parameters:
  ///   - body: The body of an answer with the status 200.
  ///   - count: How many transfers were asked for.
  /// - Returns: A specification, or what the node says about this one transfer.
  /// - Throws: An ``AsperaError`` if the answer is something else.
  package static func results(
    of body: [UInt8], count: Int
  ) throws(AsperaError) -> [Result<TransferSpec, NodeRefusal>] {
    let answer: JSONValue
    do {
      answer = try JSONValue(parsing: body)
    } catch {
      throw invalid("The answer of the node is not JSON: \(error).")
    }
    guard let elements = answer["transfer_specs"]?.array else {
      throw invalid("The answer has no list transfer_specs.")
    }
    guard elements.count == count else {
      throw invalid("The answer has \(elements.count) elements in transfer_specs, and \(count) were asked for.")
    }
    var results: [Result<TransferSpec, NodeRefusal>] = []
    for (index, element) in elements.enumerated() {
      let specification = element["transfer_spec"]
      if let refusal = NodeRefusal(of: element) ?? specification.flatMap({ NodeRefusal(of: $0) }) {
        results.append(.failure(refusal))
      } else if let fields = specification?.object {
        results.append(.success(TransferSpec(fields: fields)))
      } else {
        throw invalid("The element \(index) of transfer_specs has neither a transfer_spec nor an error.")
      }
    }
    return results
  }

  private static func invalid(_ message: String) -> AsperaError {
    AsperaError(.invalidAnswer, message, remedy: "Check that the address is that of a Node API.")
  }
}
