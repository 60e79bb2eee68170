// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import StorageAuth

@testable import COSAuth
@testable import CredentialSources
@testable import OSSAuth
@testable import S3Auth

/// Services that record their requests, in place of the clouds' services.
final class RecordedServices: Sendable {
  static let key = AccessKey(id: "STS.role", secret: "s", sessionToken: "t")

  private let calls = Lock<[String]>([])

  /// The requests, in order.
  var asked: [String] { calls.withLock { $0 } }

  var alibaba: AlibabaServices {
    AlibabaServices(
      instanceRole: { [self] role, _, _ in provider { _ in "instance \(role ?? "any")" } },
      role: { [self] role, keys in
        provider { context async throws(CredentialError) in
          "\(Self.text(role)) with \(try await keys.credential(in: context).id)"
        }
      },
      webIdentity: { [self] role, providerARN, token in
        provider { _ async throws(CredentialError) in
          "\(Self.text(role)) by \(providerARN) token \(try await token().reveal())"
        }
      },
      uri: { [self] url in provider { _ in "uri \(url)" } })
  }

  var tencent: TencentServices {
    TencentServices(
      instanceRole: { [self] role in provider { _ in "instance \(role ?? "any")" } },
      role: { [self] arn, sessionName, keys in
        provider { context async throws(CredentialError) in
          "\(arn) \(sessionName) with \(try await keys.credential(in: context).id)"
        }
      },
      webIdentity: { [self] role, token in
        provider { _ async throws(CredentialError) in
          "\(role.arn) by \(role.providerID) in \(role.region) token \(try await token().reveal())"
        }
      })
  }

  var amazon: AmazonServices {
    AmazonServices(
      instanceRole: { [self] _ in provider { _ in "instance" } },
      container: { [self] in provider { _ in "container" } },
      role: { [self] role, keys in
        provider { context async throws(CredentialError) in
          "\(Self.text(role)) with \(try await keys.credential(in: context).id)"
        }
      },
      webIdentity: { [self] role, token in
        provider { _ async throws(CredentialError) in "\(Self.text(role)) token \(try await token().reveal())" }
      })
  }

  private static func text(_ role: AmazonRole) -> String {
    "\(role.arn) \(role.sessionName) \(role.duration) \(role.externalID ?? "-") \(role.endpoint.baseURL)"
  }

  /// Services that are not configured.
  static var none: AlibabaServices {
    let provider = Recorded { _ throws(CredentialError) in
      throw CredentialError(.notConfigured, source: "service", "The service has no key.", remedy: "Use another source.")
    }
    return AlibabaServices(
      instanceRole: { _, _, _ in provider }, role: { _, _ in provider }, webIdentity: { _, _, _ in provider },
      uri: { _ in provider })
  }

  private static func text(_ role: AlibabaRole) -> String {
    let parts = [
      role.arn, role.sessionName, "\(role.duration)", role.policy ?? "-", role.externalID ?? "-", role.endpoint.baseURL,
    ]
    return parts.joined(separator: " ")
  }

  private func provider(
    _ call: @escaping @Sendable (ProviderContext) async throws(CredentialError) -> String
  ) -> Recorded {
    Recorded { [self] context async throws(CredentialError) in
      let text = try await call(context)
      calls.withLock { $0.append(text) }
    }
  }

  private struct Recorded: CredentialProvider {
    let source = "service"
    let call: @Sendable (ProviderContext) async throws(CredentialError) -> Void

    init(_ call: @escaping @Sendable (ProviderContext) async throws(CredentialError) -> Void) {
      self.call = call
    }

    func issue(in context: ProviderContext) async throws(CredentialError) -> IssuedCredential<AccessKey> {
      try await call(context)
      return IssuedCredential(RecordedServices.key)
    }
  }
}
