// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsyncHTTPTransport
import CredentialSources
import ExampleSupport
import Foundation
import HTTPTypes
import OSSAuth
import StorageAuth
import StorageDiagnosis

/// An example of the authentication of OSS: every request is signed here, and sent with a plain HTTP client.
@main
struct OSSExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "OSSExample", abstract: "Signs requests to OSS with keys from several sources, and sends them.",
    discussion: """
      By default it uses LocalCloud. A real bucket requires STORAGE_AUTH_LIVE=1, OSS_BUCKET, OSS_REGION and a key in the \
      environment; OSS_APP_SERVER is the URL of an app server that issues temporary keys.
      """)

  @Flag(help: "Use LocalCloud, regardless of the environment.")
  var local = false

  func run() async throws {
    let place = try await ExampleBucket.oss(localOnly: local)
    try await place.use(.alibabaDefault) { key in
      let signer = OSSSigner(.v4, bucket: place.bucket, region: place.region)
      try await signByHand(signer, key, place)
      try await presign(signer, key, place)
      if let server = place.appServer { try await useTemporaryKeys(from: server, signer, place) }
      try await signOnServer(key, place)
      try await explainRefusal(signer, key, place)
      for name in ["example/cat.txt", "example/dog.txt"] {
        let old = try place.endpoint.request(.delete, bucket: place.bucket, key: name)
        say("# deleted:", try await send(signer.signed(old, with: key, in: .now)).status)
      }
    }
  }

  /// Signs requests in their headers.
  private func signByHand(_ signer: OSSSigner, _ key: AccessKey, _ place: ExampleBucket) async throws {
    say("# signed by hand")
    var upload = try place.endpoint.request(
      .put, bucket: place.bucket, key: "example/cat.txt", headers: [.contentType: "text/plain"])
    try signer.sign(&upload, with: key, in: .now)
    say("  Authorization:", upload.headerFields[.authorization] ?? "")
    say("  uploaded:", try await send(upload, "a cat").status)

    let download = try place.endpoint.request(.get, bucket: place.bucket, key: "example/cat.txt")
    say("  downloaded:", try await send(signer.signed(download, with: key, in: .now)).text)
  }

  /// Creates URLs with which any HTTP client can upload or download one object within half an hour.
  private func presign(_ signer: OSSSigner, _ key: AccessKey, _ place: ExampleBucket) async throws {
    say("# presigned")
    let put = try place.endpoint.request(
      .put, bucket: place.bucket, key: "example/dog.txt", headers: [.contentType: "text/plain"])
    let upload = try signer.presign(put, with: key, validFor: .seconds(1800), in: .now)
    say("  uploaded:", try await send(upload, "a dog").status)

    let get = try place.endpoint.request(.get, bucket: place.bucket, key: "example/dog.txt")
    let download = try signer.presign(get, with: key, validFor: .seconds(1800), in: .now)
    say("  downloaded:", try await send(download).text)
  }

  /// Signs with temporary keys: one that the app fetched itself, one from a callback, and one from the app server.
  private func useTemporaryKeys(from server: String, _ signer: OSSSigner, _ place: ExampleBucket) async throws {
    say("# temporary keys")
    let request = try place.endpoint.request(.get, bucket: place.bucket, key: "example/cat.txt")
    let key = try await get(DistributedToken.self, from: server).accessKey
    say("  set by hand:", try await send(signer.signed(request, with: key, in: .now)).text)

    // The cache calls the closure when it needs a key, and never twice at the same time.
    let callback = CredentialCache<AccessKey>(source: "my app") {
      try await get(DistributedToken.self, from: server).accessKey
    }
    say("  from a callback:", try await send(signer.signed(request, with: callback.credential(), in: .now)).text)

    let cache = CredentialCache(.appServer(server), in: ProviderContext(transport: AsyncHTTPClientTransport.shared))
    say("  from the app server:", try await send(signer.signed(request, with: cache.credential(), in: .now)).text)
  }

  /// Signs with V1 in self-signed mode: the app has only the ID of the key, and its server signs the string.
  private func signOnServer(_ key: AccessKey, _ place: ExampleBucket) async throws {
    say("# V1, self-signed mode")
    // On the app's server. `SigningService` checks what a string means before it signs it.
    let signOnServer: @Sendable (String) async throws -> String = { key.hmacSHA1Base64($0) }

    let signer = OSSSigner(.v1, bucket: place.bucket)
    let request = try place.endpoint.request(.get, bucket: place.bucket, key: "example/cat.txt")
    let pending = try signer.prepare(request, as: key.identity, in: .now)
    let signed = try signer.finish(pending, signature: try await signOnServer(pending.stringToSign))
    say("  Authorization:", signed.headerFields[.authorization] ?? "")
    say("  downloaded:", try await send(signed).text)
  }

  /// Shows why OSS rejects a request whose content type was changed after it was signed.
  private func explainRefusal(_ signer: OSSSigner, _ key: AccessKey, _ place: ExampleBucket) async throws {
    say("# a refusal, explained")
    let request = try place.endpoint.request(
      .put, bucket: place.bucket, key: "example/cat.txt", headers: [.contentType: "text/plain"])
    let signed = try signer.signed(request, with: key, in: .now)
    var changed = signed
    changed.headerFields[.contentType] = "application/octet-stream"
    let reply = try await send(changed, "a cat")
    let diagnosis = SignatureDiagnosis(
      of: RejectedResponse(reply.response, body: reply.body), to: signed, signedFor: .oss(bucket: place.bucket))
    say("status  \(reply.status)")
    if let diagnosis { say(diagnosis, keepingLines: true) }
  }
}
