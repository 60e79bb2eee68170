public import AsperaAuth
internal import CloudCredentials
public import HTTPTypes
public import StorageAuth

/// A node of IBM Aspera: its Node API for names, FASP for bytes.
///
/// Objects are files, and keys are paths below a root: `2026/cat.jpg`. A folder is no object; listings show it as a common
/// prefix. There is no copy inside the service and there are no URLs that carry their own authorization, so that a client
/// of a node has neither `copy` nor `presign`.
public struct AsperaProvider: StorageProvider {
  /// What requests to the Node API are authorized with.
  public typealias SigningCredential = AsperaNodeAccess

  /// The folder that keys are relative to.
  public let root: String

  /// How files are moved.
  public let transfers: AsperaTransfers

  let address: Result<ServiceURL, SigningError>
  private let access: AsperaNodeAccess?

  /// Names a node.
  ///
  /// - Parameters:
  ///   - node: The URL of the Node API: `https`, or `http` on this machine. A path comes before those of the calls, as
  ///     Shares has one.
  ///   - access: What requests are authorized with, unless the client is given credentials; the default sources if there
  ///     are neither.
  ///   - root: The folder that keys are relative to.
  ///   - transfers: How files are moved: with which account, by which program, how fast.
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

  /// The host and the root.
  public var containerName: String { "\((try? address.get().authority) ?? "node")\(root == "/" ? "" : root)" }

  /// The address of the node, without a path.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) {
      let address = try address.get()
      return try ServiceEndpoint("\(address.scheme)://\(address.authority)")
    }
  }

  /// What authorizes requests.
  public var signer: AsperaNodeSigner { AsperaNodeSigner() }

  /// The access that the provider was given, or else the default sources on this machine: environment and file.
  public var defaultCredentials: CredentialChain<AsperaNodeAccess> {
    guard let access else { return .asperaDefault }
    return CredentialChain([StaticCredentialProvider(access)], source: "access of the provider")
  }

  /// Always: a password, a secret or a token is sent as it is.
  public func carriesToken(_ credential: AsperaNodeAccess) -> Bool { true }

  /// The user or the access key.
  public func identity(of credential: AsperaNodeAccess) -> String? { credential.identity }

  /// Reads the error of the Node API.
  public func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError {
    ServiceError(NodeAnswer.refusal(in: body), in: response, subject: subject)
  }

  /// The operations of a node.
  public func store(of client: StorageClient<AsperaProvider>) -> some ObjectStore {
    NodeClient(client: client)
  }
}

extension StorageProvider where Self == AsperaProvider {
  /// A node of IBM Aspera.
  ///
  /// ```swift
  /// let client = StorageClient(.aspera(node: "https://node.example.com:9092", access: .accessKey(id: id, secret: secret)))
  /// ```
  ///
  /// - Parameters:
  ///   - node: The URL of the Node API: `https`, or `http` on this machine.
  ///   - access: What requests are authorized with, unless the client is given credentials; the default sources if there
  ///     are neither.
  ///   - root: The folder that keys are relative to.
  ///   - transfers: How files are moved: with which account, by which program, how fast.
  public static func aspera(
    node: String, access: AsperaNodeAccess? = nil, root: String = "/", transfers: AsperaTransfers = AsperaTransfers()
  ) -> AsperaProvider {
    AsperaProvider(node: node, access: access, root: root, transfers: transfers)
  }
}
