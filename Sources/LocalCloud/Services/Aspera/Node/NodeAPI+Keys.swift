// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageCrypto
internal import StorageJSON

extension NodeAPI {
  /// Returns the response that lists the access keys that the caller can read.
  ///
  /// A node user can read all access keys; an access key can read only itself.
  func accessKeys(for caller: NodeCaller) -> Answer {
    let keys = aspera.directory.accessKeys.filter { key in caller.accessKeyID.map { $0 == key.id } ?? true }
    return Answer(.array(keys.map { Self.document(for: $0) }))
  }

  /// Returns the response that describes an access key.
  ///
  /// - Parameters:
  ///   - name: The ID of the access key, or `self` for the caller's access key.
  ///   - caller: The authenticated caller.
  func accessKey(_ name: String, for caller: NodeCaller) throws(RefusalAnswer) -> Answer {
    Answer(Self.document(for: try key(name, for: caller)))
  }

  /// Sets or removes the public key for verifying bearer tokens of an access key.
  ///
  /// - Parameters:
  ///   - name: The ID of the access key, or `self` for the caller's access key.
  ///   - document: The document in the request body.
  ///   - caller: The authenticated caller.
  func setAccessKey(
    _ name: String, to document: JSONValue, for caller: NodeCaller
  ) throws(RefusalAnswer) -> Answer {
    let key = try key(name, for: caller)
    switch document["token_verification_key"] {
    case nil: break
    case .null?, .string("")?: aspera.directory.setTokenVerificationKey(nil, of: key.id)
    case .string(let pem)?:
      guard (try? PublicKey(pem: pem)) != nil else {
        throw .nodeBadRequest("The token_verification_key is not a public key in PEM.")
      }
      aspera.directory.setTokenVerificationKey(pem, of: key.id)
    default: throw .nodeBadRequest("The token_verification_key is not a string.")
    }
    return try accessKey(key.id, for: caller)
  }

  /// Adds a public key to the keys that a transfer user can log in with.
  func addPublicKey(_ document: JSONValue) throws(RefusalAnswer) -> Answer {
    guard let line = document["public_key"]?.string else { throw .nodeBadRequest("The public_key is missing.") }
    let user = document["username"]?.string ?? aspera.directory.transferUser
    guard aspera.directory.add(publicKey: line, of: user) else {
      throw .nodeBadRequest("The public_key is not a line of authorized_keys, or there is no user \(user).")
    }
    return Answer(["username": .string(user), "public_key": .string(line)], .created)
  }

  private func key(_ name: String, for caller: NodeCaller) throws(RefusalAnswer) -> LocalCloud.NodeAccessKey {
    guard let id = name == "self" ? caller.accessKeyID : name, let key = aspera.directory.accessKey(id) else {
      throw .node(.notFound, "There is no access key \(name).")
    }
    if let own = caller.accessKeyID, own != id { throw .node(.forbidden, "The access key \(id) is not the caller's.") }
    return key
  }

  private static func document(for key: LocalCloud.NodeAccessKey) -> JSONValue {
    [
      "id": .string(key.id), "root_file_id": "1", "storage": ["type": "local", "path": "/"],
      "token_verification_key": key.tokenVerificationKey.map { .string($0) } ?? .null,
    ]
  }
}
