// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
internal import CloudCredentials
public import HTTPTypes
public import StorageAuth

/// A provider for a node of IBM Aspera: the Node API for names, FASP for bytes.
///
/// Objects are files, and keys are paths below a root, such as `2026/cat.jpg`. A folder is not an object; listings show
/// it as a common prefix. The service has neither server-side copies nor presigned URLs, so a client of a node has no
/// `copy` and no `presign`.
public struct AsperaProvider: StorageProvider {
  /// The credential that authorizes requests to the Node API.
  public typealias SigningCredential = AsperaNodeAccess

  /// The folder that keys are relative to.
  public let root: String

  /// The settings of file transfers.
  public let transfers: AsperaTransfers

  let address: Result<ServiceURL, SigningError>
  private let access: AsperaNodeAccess?

  /// Creates the provider of a node.
  ///
  /// - Parameters:
  ///   - node: The URL of the Node API: `https`, or `http` on this machine. Its path, as Shares has one, precedes the
  ///     paths of the calls.
  ///   - access: The credential for requests, unless the client has its own credentials; the default sources are used
  ///     if there are neither.
  ///   - root: The folder that keys are relative to.
  ///   - transfers: The settings of file transfers: account, program and rates.
  public init(
    node: String, access: AsperaNodeAccess? = nil, root: String = "/", transfers: AsperaTransfers = AsperaTransfers()
  ) {
    let names = root.split(separator: "/")
    self.root = "/" + names.joined(separator: "/")
    self.access = access
    self.transfers = transfers
    address = Result { () throws(SigningError) in
      guard let address = ServiceURL(node), !address.path.contains("?") else {
        throw SigningError(
          .invalidConfiguration, "The address of the node is not a URL of scheme, host, port and path.",
          remedy: "Write it like https://node.example.com:9092, without a user, a query or a fragment.")
      }
      guard names.allSatisfy({ NodePath.isName($0) }) else {
        throw SigningError(
          .invalidConfiguration, "The root of the node holds \"..\", \".\" or a control character.",
          remedy: "Name a folder by its whole path, such as /photos.")
      }
      return address
    }
  }

  /// The short name of the service.
  public var name: String { "aspera" }

  /// The host and the root folder.
  public var containerName: String { "\((try? address.get().authority) ?? "node")\(root == "/" ? "" : root)" }

  /// The address of the node, without a path.
  ///
  /// - Throws: A `SigningError` if the URL or the root is invalid.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) {
      let address = try address.get()
      return try ServiceEndpoint("\(address.scheme)://\(address.authority)")
    }
  }

  /// The signer of requests to the Node API.
  public var signer: AsperaNodeSigner { AsperaNodeSigner() }

  /// The access that was passed to the initializer, or the default sources on this machine: environment and file.
  public var defaultCredentials: CredentialChain<AsperaNodeAccess> {
    guard let access else { return .asperaDefault }
    return CredentialChain([StaticCredentialProvider(access)], source: "access of the provider")
  }

  /// Returns `true`, because requests carry a password, secret or token itself rather than a signature.
  ///
  /// - Parameter credential: The credential of the requests.
  public func carriesToken(_ credential: AsperaNodeAccess) -> Bool { true }

  /// Returns the user name or the access key id.
  ///
  /// - Parameter credential: The credential.
  public func identity(of credential: AsperaNodeAccess) -> String? { credential.identity }

  /// Creates the error that a response of the Node API describes.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body, or its beginning; empty if the connection was lost.
  ///   - subject: The action and the location of the request.
  public func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError {
    ServiceError(NodeAnswer.refusal(in: body), in: response, subject: subject)
  }

  /// Returns the operations of a node.
  ///
  /// - Parameter client: The client that sends the requests.
  public func store(of client: StorageClient<AsperaProvider>) -> some ObjectStore {
    NodeClient(client: client)
  }
}

extension StorageProvider where Self == AsperaProvider {
  /// Returns the provider of a node of IBM Aspera.
  ///
  /// ```swift
  /// let client = StorageClient(.aspera(node: "https://node.example.com:9092", access: .accessKey(id: id, secret: secret)))
  /// ```
  ///
  /// - Parameters:
  ///   - node: The URL of the Node API: `https`, or `http` on this machine.
  ///   - access: The credential for requests, unless the client has its own credentials; the default sources are used
  ///     if there are neither.
  ///   - root: The folder that keys are relative to.
  ///   - transfers: The settings of file transfers: account, program and rates.
  public static func aspera(
    node: String, access: AsperaNodeAccess? = nil, root: String = "/", transfers: AsperaTransfers = AsperaTransfers()
  ) -> AsperaProvider {
    AsperaProvider(node: node, access: access, root: root, transfers: transfers)
  }
}
