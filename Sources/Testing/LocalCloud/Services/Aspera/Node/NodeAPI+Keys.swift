// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

internal import HTTPTypes
internal import StorageAuth
internal import StorageCrypto
internal import StorageJSON
internal import StorageKeys

extension NodeAPI {
  /// Returns the response that lists the access keys that the caller can read.
  ///
  /// A node user can read all access keys; an access key can read only itself.
  func accessKeys(for caller: NodeCaller) -> Answer {
    let keys = aspera.directory.accessKeys.filter { key in caller.accessKey.map { $0.id == key.id } ?? true }
    return Answer(.array(keys.map { document(for: $0) }))
  }

  /// Returns the response that describes an access key.
  ///
  /// - Parameters:
  ///   - name: The ID of the access key, or `self` for the caller's access key.
  ///   - caller: The authenticated caller.
  func accessKey(_ name: String, for caller: NodeCaller) throws(RefusalAnswer) -> Answer {
    Answer(document(for: try key(name, for: caller)))
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
    if document["token_verification_key"] != nil {
      let pem = try Self.verificationKey(document["token_verification_key"])
      aspera.directory.setTokenVerificationKey(pem, of: key.id)
    }
    return Answer(.noContent)
  }

  /// Creates an access key, which only a node user can do.
  func createAccessKey(_ document: JSONValue, for caller: NodeCaller, at date: Timestamp) async throws -> Answer {
    guard caller.accessKey == nil else {
      throw RefusalAnswer.node(.forbidden, "Only a node user can create access keys.")
    }
    let storage = document["storage"]
    guard storage?["type"]?.string == "local", let path = NodePath(storage?["path"]?.string ?? "/") else {
      throw RefusalAnswer.nodeBadRequest("The storage must be local, with a path that does not lead out of the root.")
    }
    let id = document["id"]?.string ?? BlobID.random().description
    let secret = document["secret"]?.string ?? RandomText.letters(40)
    guard !id.isEmpty, id.utf8.count <= 255, !id.utf8.contains(UInt8(ascii: ":")), !secret.isEmpty,
      secret.utf8.count <= 1_024
    else { throw RefusalAnswer.nodeBadRequest("The id or the secret is empty or too long, or the id has a colon.") }
    let pem = try Self.verificationKey(document["token_verification_key"])
    let key = LocalCloud.NodeAccessKey(id: id, secret: Secret(secret), tokenVerificationKey: pem, path: path.text)
    try aspera.directory.add(key)
    try await aspera.prepare(key, at: date)
    guard case .object(var answer) = self.document(for: key) else { return Answer() }
    // The only response that contains the secret, which the client cannot know if the node made it.
    answer["secret"] = .string(secret)
    return Answer(.object(answer))
  }

  /// Deletes an access key with its permissions, but not its files.
  func deleteAccessKey(_ name: String, for caller: NodeCaller) throws(RefusalAnswer) -> Answer {
    let key = try key(name, for: caller)
    aspera.directory.removeAccessKey(key.id)
    aspera.files.register.removePermissions(of: key.id)
    aspera.activity.remove(key.id)
    return Answer(.noContent)
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
    guard let id = name == "self" ? caller.accessKey?.id : name, let key = aspera.directory.accessKey(id) else {
      throw .node(.notFound, "There is no access key \(name).")
    }
    if let own = caller.accessKey?.id, own != id {
      throw .node(.forbidden, "The access key \(id) is not the caller's.")
    }
    return key
  }

  private static func verificationKey(_ value: JSONValue?) throws(RefusalAnswer) -> String? {
    switch value {
    case nil, .null?, .string("")?: return nil
    case .string(let pem)?:
      guard (try? PublicKey(pem: pem)) != nil else {
        throw .nodeBadRequest("The token_verification_key is not a public key in PEM.")
      }
      return pem
    default: throw .nodeBadRequest("The token_verification_key is not a string.")
    }
  }

  private func document(for key: LocalCloud.NodeAccessKey) -> JSONValue {
    let rootID = NodePath(key.path).map { aspera.files.register.rootID(of: $0) }
    return [
      "id": .string(key.id), "root_file_id": rootID.map { .string(String($0)) } ?? .null,
      "storage": ["type": "local", "path": .string(key.path)],
      "token_verification_key": key.tokenVerificationKey.map { .string($0) } ?? .null,
    ]
  }
}
