// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import LocalCloud
import StorageClient
import XCTest

@testable import KeyServer
@testable import PhotoApp

/// Tests the model of the example for iPhones with the server that its README names, for each service.
final class KeyServerTests: XCTestCase {
  private static let owner = AccessKey(id: "AKIDphotos", secret: "not-a-secret")
  private static let passwords = ["mia": "cat-lover-1", "noah": "dog-lover-2"]

  @MainActor
  func testUserLogsInOnceAndTheSessionIsKept() async throws {
    try await run(.oss) { service in
      let sessions = MemorySessions()
      let login = LoginModel(service, store: sessions)
      XCTAssertNil(login.session)
      await login.logIn("mia", password: "guess")
      XCTAssertNil(login.session)
      XCTAssertEqual(login.problem, "The name or the password is wrong.")
      await login.logIn("mia", password: "cat-lover-1")
      XCTAssertNil(login.problem)
      let session = try XCTUnwrap(login.session)
      XCTAssertEqual(session.folder, "users/mia/")
      XCTAssertEqual(LoginModel(service, store: sessions).session, session, "the next launch of the app")
      let stranger = PhotoModel(
        service.photos(of: Session(user: "mia", token: "invented"), over: .platformDefault), folder: session.folder,
        background: NoBackgroundUploads())
      await stranger.load()
      XCTAssertEqual(stranger.problem?.contains("photo service"), true, stranger.problem ?? "the photos were listed")
      login.logOut()
      XCTAssertNil(LoginModel(service, store: sessions).session)
    }
  }

  @MainActor
  func testServerThatIsNotThereIsAProblem() async {
    let service = PhotoService(server: "http://127.0.0.1:9", provider: .oss, bucket: "photos", region: "cn-hangzhou")
    let login = LoginModel(service, store: MemorySessions())
    await login.logIn("mia", password: "cat-lover-1")
    XCTAssertNil(login.session)
    XCTAssertNotNil(login.problem)
  }

  @MainActor
  func testUserOfOSSListsAndUploadsInTheOwnFolderOnly() async throws {
    try await listsAndUploads(.oss)
  }

  @MainActor
  func testUserOfCOSListsAndUploadsInTheOwnFolderOnly() async throws {
    try await listsAndUploads(.cos)
  }

  @MainActor
  private func listsAndUploads(_ provider: PhotoService.Provider) async throws {
    let file = try Camera(self).photo(1000).file
    try await run(provider) { [self] service in
      let noah = try await store(of: "noah", service)
      try await noah.store.upload([1, 2, 3], to: "users/noah/dog.jpg")
      let mia = try await store(of: "mia", service)
      try await mia.store.upload([1, 2, 3], to: "users/mia/bird.jpg")

      let background = ImmediateBackgroundUploads()
      let photos = PhotoModel(mia.store, folder: mia.folder, background: background)
      await photos.load()
      XCTAssertNil(photos.problem)
      XCTAssertEqual(photos.photos, [Photo(id: "bird.jpg", state: .stored)])
      await photos.upload(file, as: "cat.jpg").value
      XCTAssertEqual(photos.photos.first, Photo(id: "cat.jpg", state: .stored))
      await photos.share("cat.jpg")
      XCTAssertEqual(photos.link?.url.contains("users/mia/cat.jpg"), true)
      // The key outlives an upload of the system, and still does so when half of its lifetime is over.
      await photos.uploadInBackground(file, as: "fish.jpg")
      XCTAssertEqual(photos.photos.first, Photo(id: "fish.jpg", state: .inBackground))
      background.end("users/noah/owl.jpg")
      background.end("users/mia/bird.jpg", failure: "gone")
      let following = Task { await photos.followBackgroundUploads() }
      try await eventually("the ends of mia's uploads are shown") {
        photos.photos.contains(Photo(id: "bird.jpg", state: .failed("gone")))
      }
      following.cancel()
      await following.value
      XCTAssertEqual(photos.photos.map(\.id), ["fish.jpg", "cat.jpg", "bird.jpg"], "without noah's upload")
      XCTAssertEqual(photos.photos.first?.state, .stored)
      _ = try await mia.store.link(.put, "users/mia/x", contentType: nil, validFor: .seconds(2 * 1500))
      let names = try await self.names(mia.store, in: mia.folder)
      XCTAssertEqual(names, ["users/mia/bird.jpg", "users/mia/cat.jpg", "users/mia/fish.jpg"])

      let others = PhotoModel(mia.store, folder: noah.folder, background: background)
      await others.load()
      XCTAssertEqual(others.problem?.contains("AccessDenied"), true, others.problem ?? "noah's photos were listed")
      XCTAssertEqual(others.photos, [])
      await others.upload(file, as: "cat.jpg").value
      guard case .failed(let reason) = others.photos.first?.state else { return XCTFail("\(others.photos)") }
      XCTAssert(reason.contains("AccessDenied"), reason)
      let everything = PhotoModel(mia.store, folder: "", background: background)
      await everything.load()
      XCTAssertEqual(everything.problem?.contains("AccessDenied"), true, everything.problem ?? "the bucket was listed")
      let untouched = try await self.names(noah.store, in: noah.folder)
      XCTAssertEqual(untouched, ["users/noah/dog.jpg"])
    }
  }

  @MainActor
  private func store(of user: String, _ service: PhotoService) async throws -> (store: any PhotoStore, folder: String) {
    let login = LoginModel(service, store: MemorySessions())
    await login.logIn(user, password: Self.passwords[user] ?? "")
    let session = try XCTUnwrap(login.session, login.problem ?? "")
    return (service.photos(of: session, over: .platformDefault), session.folder)
  }

  private func names(_ store: any PhotoStore, in folder: String) async throws -> [String] {
    var names: [String] = []
    for try await entry in store.list(prefix: folder) { names.append(entry.name) }
    return names
  }

  /// Runs the server of TokenServerExample and a local cloud, and passes them to a closure as the app sees them.
  @MainActor
  private func run(
    _ provider: PhotoService.Provider, _ body: @escaping @MainActor @Sendable (PhotoService) async throws -> Void
  ) async throws {
    let service: KeyServer.Service = provider == .oss ? .oss : .cos
    let cloud = try await LocalCloud.start(
      .init(accounts: [.init(Self.owner)], buckets: [service.bucket]))
    addTeardownBlock { await cloud.stop() }
    let endpoint = provider == .oss ? cloud.ossEndpoint : cloud.cosEndpoint
    let server = AppServer(
      service, sts: cloud.servicesURL, keyHost: cloud.servicesEndpoint.authority, owner: Self.owner,
      users: Self.passwords, log: { _ in })
    try await server.run { address in
      try await body(
        PhotoService(
          server: address, provider: provider, bucket: service.bucket,
          region: provider == .oss ? "cn-hangzhou" : "ap-guangzhou",
          endpoint: "\(endpoint.scheme)://\(endpoint.authority)"))
    }
  }
}

/// Sessions in memory, in place of the keychain.
final class MemorySessions: SessionStore, @unchecked Sendable {
  private let lock = NSLock()
  // Safe: the lock guards it.
  private var session: Session?

  func load() -> Session? { lock.withLock { session } }

  func save(_ session: Session?) { lock.withLock { self.session = session } }
}
