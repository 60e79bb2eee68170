// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

/// The Node API operations that set up transfers: `/files/upload_setup` and `/files/download_setup`.
///
/// A node responds with a specification and a token for each transfer. The source is IBM's OpenAPI description.
package enum NodeSetup {
  /// The token lifetime of a node if the request does not specify one.
  package static let assumedLifetime = Duration.seconds(86_400)

  package static func path(for direction: TransferDirection) -> String {
    direction == .send ? "/files/upload_setup" : "/files/download_setup"
  }

  package static func body(
    for specifications: [TransferSpec], tokenLifetime: Duration? = nil
  ) throws(AsperaError) -> [UInt8] {
    guard !specifications.isEmpty else {
      throw AsperaError(.invalidSpecification, "There is no transfer to set up.", remedy: "Request at least one.")
    }
    guard Set(specifications.map(\.direction)).count == 1, specifications[0].direction != nil else {
      throw AsperaError(
        .invalidSpecification, "The transfers to set up have no direction, or not all the same.",
        remedy: "Set direction to send or receive, and request uploads and downloads separately.")
    }
    let requests = try specifications.map { (specification) throws(AsperaError) -> JSONValue in
      ["transfer_request": .object(try request(for: specification, tokenLifetime))]
    }
    return (["transfer_requests": .array(requests)] as JSONValue).serialized
  }

  /// Parses the body of a response with HTTP status 200, whose results are in the order of the requested transfers.
  package static func results(of body: [UInt8], count: Int) throws(AsperaError) -> [Result<TransferSpec, NodeRefusal>] {
    let response: JSONValue
    do {
      response = try JSONValue(parsing: body)
    } catch { throw invalid("The response of the node is not JSON: \(error).") }
    guard let elements = response["transfer_specs"]?.array else {
      throw invalid("The response has no array transfer_specs.")
    }
    guard elements.count == count else {
      throw invalid("The response has \(elements.count) elements in transfer_specs, but \(count) were requested.")
    }
    return try elements.enumerated().map { (index, element) throws(AsperaError) in
      let specification = element["transfer_spec"]
      if let refusal = NodeRefusal(of: element) ?? specification.flatMap({ NodeRefusal(of: $0) }) {
        return .failure(refusal)
      }
      if let fields = specification?.object { return .success(TransferSpec(fields: fields)) }
      throw invalid("The element \(index) of transfer_specs has neither a transfer_spec nor an error.")
    }
  }

  private static func invalid(_ message: String) -> AsperaError {
    AsperaError(.invalidAnswer, message, remedy: "Check that the address is that of a Node API.")
  }

  /// The names of the specification's fields that are sent to the node unchanged.
  ///
  /// They are the fields of a request in the OpenAPI description of IBM's Node API, and a few that aspera-cli also
  /// sends, such as `public_keys`. Other fields are not sent, in particular passwords and keys.
  private static let sentFields = [
    "remote_host", "ssh_port", "fasp_port", "token_life_seconds", "cipher", "cipher_allowed", "content_protection",
    "cookie", "create_dir", "http_fallback", "http_fallback_port", "rate_policy", "rate_policy_allowed",
    "target_rate_kbps", "target_rate_cap_kbps", "min_rate_kbps", "tags", "aspera_connect_settings", "public_keys",
  ]

  /// Returns a request without the names of local files, which are private.
  private static func request(
    for specification: TransferSpec, _ tokenLifetime: Duration?
  ) throws(AsperaError) -> JSONObject {
    let paths = specification.paths
    guard !paths.isEmpty else {
      throw AsperaError(
        .invalidSpecification, "A transfer to set up has no paths.",
        remedy: "Name the files; the token is valid only for them.")
    }
    var request = JSONObject()
    if specification.direction == .receive {
      request["source_root"] = nonempty(specification.fields["source_root"])
      request["paths"] = pathList(paths.map(\.source), as: "source")
    } else {
      let root = nonempty(specification.fields["destination_root"])
      let destinations = paths.compactMap(\.destination)
      guard destinations.isEmpty || destinations.count == paths.count else {
        throw AsperaError(
          .invalidSpecification, "Some paths of an upload have a destination, and others have none.",
          remedy: "Give all of them one, or none.")
      }
      // If the paths have no destinations, the files are uploaded to the root, which is then the only destination.
      request["destination_root"] = destinations.isEmpty ? nil : root
      request["paths"] = pathList(destinations.isEmpty ? [root?.string ?? "/"] : destinations, as: "destination")
    }
    for name in sentFields { if let value = specification.value(name) { request[name] = value } }
    if let tokenLifetime { request["token_life_seconds"] = .number(JSONNumber(tokenLifetime.components.seconds)) }
    return request
  }

  private static func pathList(_ paths: [String], as name: String) -> JSONValue {
    .array(paths.map { [name: .string($0)] })
  }

  private static func nonempty(_ value: JSONValue?) -> JSONValue? {
    value?.string.flatMap { $0.isEmpty ? nil : .string($0) }
  }
}

/// An error of a Node API: the member `error` of a response or of an array element in a response.
package struct NodeRefusal: Error, Sendable, Hashable {
  /// The error code, which corresponds to an HTTP status code.
  package let code: String?
  /// The short name of the error, such as `Not Found`.
  package let reason: String?
  /// The node's error message, which is untrusted: callers mask and truncate it before they show it to the user.
  package let message: String?

  package init?(of value: JSONValue) {
    guard let error = value["error"], error != .null else { return nil }
    code = error["code"]?.code
    reason = error["reason"]?.string
    message = error["user_message"]?.string ?? error["internal_message"]?.string ?? error.string
  }

  package var status: Int? { code.flatMap { Int(digits: $0) } }

  package var text: String {
    let text = [code, reason, message].compactMap(\.self).joined(separator: " ")
    return text.isEmpty ? "an error without a code" : text
  }
}
