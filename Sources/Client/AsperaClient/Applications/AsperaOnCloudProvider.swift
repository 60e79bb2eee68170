// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import AsperaAuth
internal import CredentialSources
public import HTTPTypes
public import StorageAuth
public import StorageClient

/// A storage provider for the home folder of a user in a workspace of IBM Aspera on Cloud.
///
/// The first operation finds the workspace, the node and the folder. Files are then transferred as with an
/// ``AsperaProvider`` for the node. The node's bearer tokens are renewed with JWT grants.
public struct AsperaOnCloudProvider: StorageProvider {
  /// The type of the credentials that authorize requests to the Node API.
  public typealias SigningCredential = AsperaNodeAccess

  let home: CloudHome

  /// Creates a storage provider for a user's home folder.
  ///
  /// - Parameters:
  ///   - cloud: The client of Aspera on Cloud, with the user's key.
  ///   - workspace: The name of the workspace, or `nil` for the user's default workspace.
  ///   - root: The path, below the home folder, of the folder that object keys are relative to.
  ///   - transfers: The settings for file transfers: login, program and rates.
  public init(
    _ cloud: AsperaOnCloudClient, workspace: String? = nil, root: String = "/",
    transfers: AsperaTransferOptions = AsperaTransferOptions()
  ) {
    home = CloudHome(cloud, workspace: workspace, root: root, transfers: transfers)
  }

  /// The short name of the service, `aspera`.
  public var name: String { "aspera" }

  /// The host of the API of Aspera on Cloud, which errors and events show before the node is known.
  public var containerName: String { (try? endpoint.authority) ?? "Aspera on Cloud" }

  /// The endpoint of the API of Aspera on Cloud.
  ///
  /// - Throws: A `SigningError` if the API's URL is invalid.
  public var endpoint: ServiceEndpoint {
    get throws(SigningError) {
      guard let url = ServiceURL(home.cloud.api.url) else {
        throw SigningError(
          .invalidConfiguration, "The address of the API of Aspera on Cloud is not a URL.",
          remedy: "Write it like \(JWTGrant.asperaOnCloudURL).")
      }
      return try ServiceEndpoint("\(url.scheme)://\(url.authority)")
    }
  }

  /// The signer of requests to the Node API.
  public var signer: AsperaNodeSigner { AsperaNodeSigner() }

  /// The bearer tokens of the node, which Aspera on Cloud issues.
  public var defaultCredentials: CredentialChain<AsperaNodeAccess> {
    CredentialChain([CloudHomeAccess(home: home)], source: "Aspera on Cloud")
  }

  /// Returns `true`, because requests carry a token itself rather than a signature.
  ///
  /// - Parameter credential: The credential that authorizes the requests.
  public func carriesToken(_ credential: AsperaNodeAccess) -> Bool { true }

  /// Returns the access key ID of a credential, for events and logs.
  ///
  /// - Parameter credential: The credential that authorizes the requests.
  public func identity(of credential: AsperaNodeAccess) -> String? { credential.identity }

  /// Creates a service error from an unsuccessful response of the Node API.
  ///
  /// - Parameters:
  ///   - response: The head of the response.
  ///   - body: The body of the response, or its beginning. Empty if the connection was lost.
  ///   - subject: The action and the location of the request, for the error message.
  public func error(in response: HTTPResponse, body: [UInt8], subject: String) -> ServiceError {
    ServiceError(NodeResponse.refusal(in: body), in: response, subject: subject)
  }

  /// Returns the object store that performs a client's operations on the node.
  ///
  /// - Parameter sender: The sender of the client's requests.
  public func store(using sender: RequestSender<AsperaOnCloudProvider>) -> some ObjectStore {
    CloudStore(sender: sender)
  }
}

extension StorageProvider where Self == AsperaOnCloudProvider {
  /// Returns a storage provider for the home folder of a user of IBM Aspera on Cloud.
  ///
  /// ```swift
  /// let cloud = AsperaOnCloudClient(
  ///   organization: "acme", user: "mia@example.com", clientID: id, clientSecret: secret, key: key)
  /// let client = StorageClient(.aspera(onCloud: cloud, workspace: "Film"))
  /// ```
  ///
  /// - Parameters:
  ///   - cloud: The client of Aspera on Cloud, with the user's key.
  ///   - workspace: The name of the workspace, or `nil` for the user's default workspace.
  ///   - root: The path, below the home folder, of the folder that object keys are relative to.
  ///   - transfers: The settings for file transfers: login, program and rates.
  public static func aspera(
    onCloud cloud: AsperaOnCloudClient, workspace: String? = nil, root: String = "/",
    transfers: AsperaTransferOptions = AsperaTransferOptions()
  ) -> AsperaOnCloudProvider {
    AsperaOnCloudProvider(cloud, workspace: workspace, root: root, transfers: transfers)
  }
}

extension StorageClient<AsperaOnCloudProvider> {
  /// Returns the client of the node that stores the home folder, for operations on folders and for renaming.
  ///
  /// - Throws: The errors of ``AsperaOnCloudClient/homeFolder(inWorkspace:)``.
  public func node() async throws -> StorageClient<AsperaProvider> {
    StorageClient<AsperaProvider>(sender: try await provider.home.nodeSender(of: sender))
  }
}
