// This source file is part of swift-storage-auth, licensed under the Apache License, Version 2.0.
// SPDX-License-Identifier: Apache-2.0

public import HTTPTypes
public import StorageAuth
internal import StorageCrypto

/// A signer of requests to OSS with one key at one time, which ``OSSSigner/prepared(with:in:)`` creates.
public struct OSSPreparedSigner: PreparedSigner {
  private let signer: OSSSigner
  private let key: AccessKey
  /// What the signatures have in common, or `nil` for an anonymous key.
  private let terms: OSSHeaderTerms?
  private let startedKey: HMACKey<SHA256>?

  init(_ signer: OSSSigner, _ key: AccessKey, terms: OSSHeaderTerms?) {
    self.signer = signer
    self.key = key
    self.terms = terms
    if case .v4(let scope, _) = terms?.scheme {
      startedKey = scope.signingKey(of: key).startingMessages { scope.append(headTo: &$0) }
    } else {
      startedKey = nil
    }
  }

  /// Returns the header fields that authorize a request.
  ///
  /// - Throws: The errors of `PreparedSigner.fields(for:)`, which also describes the parameters.
  @specialized(where Request == HTTPRequest)
  public func fields<Request: SignableRequest>(for request: Request) throws(SigningError) -> [HTTPField] {
    guard let terms else { return [] }
    return try signer.addedFields(for: request, with: key, terms, startedKey: startedKey).array
  }

  /// Signs a request by setting the fields in it.
  ///
  /// - Throws: The errors of `PreparedSigner.sign(_:)`, which also describes the parameters.
  public func sign(_ request: inout HTTPRequest) throws(SigningError) {
    guard let terms else { return }
    try request.addFields(withToken: terms.token, named: .ossSecurityToken) { (request) throws(SigningError) in
      try signer.addedFields(for: request, with: key, terms, startedKey: startedKey)
    }
  }
}

extension OSSPreparedSigner: Redacted {
  /// The version of the signatures and the access key ID.
  public var description: String { "OSSPreparedSigner(\(signer.version), id: \(key.id))" }
}
