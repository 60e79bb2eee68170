// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import AsyncHTTPTransport
import COSAuth
import CredentialSources
import ExampleSupport
import Foundation
import HTTPTypes
import StorageAuth
import StorageDiagnosis

/// An example of the authentication of COS: every request is signed here, and sent with a plain HTTP client.
@main
struct COSExample: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "COSExample", abstract: "Signs requests to COS with keys from several sources, and sends them.",
    discussion: """
      By default it uses LocalCloud. A real bucket requires STORAGE_AUTH_LIVE=1, COS_BUCKET, COS_REGION and a key in the \
      environment; COS_APP_SERVER is the URL of an app server that issues temporary keys.
      """)

  @Flag(help: "Use LocalCloud, regardless of the environment.")
  var local = false

  func run() async throws {
    let place = try await ExampleBucket.cos(localOnly: local)
    try await place.use(.tencentDefault) { key in
      let signer = COSSigner()
      try await signByHand(signer, key, place)
      try await presign(signer, key, place)
      if let server = place.appServer { try await useTemporaryKeys(from: server, signer, place) }
      try await explainRefusal(signer, key, place)
      for name in ["example/cat.txt", "example/dog.txt"] {
        let old = try place.endpoint.request(.delete, bucket: place.bucket, key: name)
        say("# deleted:", try await send(signer.signed(old, with: key, in: .now)).status)
      }
    }
  }

  /// Signs requests in their headers, for an hour or for an explicit key time.
  private func signByHand(_ signer: COSSigner, _ key: AccessKey, _ place: ExampleBucket) async throws {
    say("# signed by hand")
    var upload = try place.endpoint.request(
      .put, bucket: place.bucket, key: "example/cat.txt", headers: [.contentType: "text/plain"])
    try signer.sign(&upload, with: key, in: .now)
    say("  Authorization:", upload.headerFields[.authorization] ?? "")
    say("  uploaded:", try await send(upload, "a cat").status)

    let now = Timestamp.now
    let keyTime = COSKeyTime(from: now.advanced(by: .seconds(-60)), until: now.advanced(by: .seconds(600)))
    var download = try place.endpoint.request(.get, bucket: place.bucket, key: "example/cat.txt")
    try signer.sign(&download, with: key, during: keyTime)
    say("  downloaded within \(keyTime.start) to \(keyTime.end):", try await send(download).text)
  }

  /// Creates URLs with which any HTTP client can upload or download one object within half an hour.
  private func presign(_ signer: COSSigner, _ key: AccessKey, _ place: ExampleBucket) async throws {
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
  ///
  /// A signature is valid from the start to the end of such a key, so that the device's clock does not matter.
  private func useTemporaryKeys(from server: String, _ signer: COSSigner, _ place: ExampleBucket) async throws {
    say("# temporary keys")
    let request = try place.endpoint.request(.get, bucket: place.bucket, key: "example/cat.txt")
    let key = try await get(TemporaryKey.self, from: server).accessKey
    say("  set by hand:", try await send(signer.signed(request, with: key, in: .now)).text)

    // The cache calls the closure when it needs a key, and never twice at the same time.
    let callback = CredentialCache<AccessKey>(source: "my app") {
      try await get(TemporaryKey.self, from: server).accessKey
    }
    say("  from a callback:", try await send(signer.signed(request, with: callback.credential(), in: .now)).text)

    let cache = CredentialCache(
      .appServer(server, format: .cos), in: ProviderContext(transport: AsyncHTTPClientTransport.shared))
    say("  from the app server:", try await send(signer.signed(request, with: cache.credential(), in: .now)).text)
  }

  /// Shows why COS rejects a signature whose key time has ended.
  private func explainRefusal(_ signer: COSSigner, _ key: AccessKey, _ place: ExampleBucket) async throws {
    say("# a refusal, explained")
    let hourAgo = Timestamp.now.advanced(by: .seconds(-3600))
    var late = try place.endpoint.request(.get, bucket: place.bucket, key: "example/cat.txt")
    try signer.sign(&late, with: key, during: COSKeyTime(from: hourAgo, until: hourAgo.advanced(by: .seconds(600))))
    let reply = try await send(late)
    let diagnosis = SignatureDiagnosis(
      of: RejectedResponse(reply.response, body: reply.body), to: late,
      signedFor: .cos(style: place.endpoint.style))
    say("status  \(reply.status)")
    if let diagnosis { say(diagnosis, keepingLines: true) }
  }
}
