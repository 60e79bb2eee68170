// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Foundation
import LocalCloud
import Observation
import StorageClient
import XCTest

@testable import PhotoApp

#if canImport(FoundationNetworking)
  import FoundationNetworking
#endif

/// Tests the model of the example for iPhones against a local cloud and its app server.
final class PhotoModelTests: XCTestCase {
  /// The size of a photo that is sent in three parts.
  private static let threeParts = 20 << 20

  @MainActor
  func testUploadShowsItsProgressAndIsStored() async throws {
    let cloud = try await PhotoCloud(self)
    let (model, photo) = (cloud.model(), try Camera(self).photo(Self.threeParts))
    cloud.transport.hold("partNumber=3")
    let upload = model.upload(photo.file, as: "cat.jpg")
    XCTAssertEqual(model.photos, [Photo(id: "cat.jpg", state: .uploading(0))])
    try await eventually("two of three parts are sent") { model.photos[0].state == .uploading(0.8) }
    cloud.transport.release()
    await upload.value
    XCTAssertEqual(model.photos, [Photo(id: "cat.jpg", state: .stored)])
    let stored = try await cloud.owner.download("cat.jpg", upTo: 32 << 20)
    XCTAssert(stored == photo.bytes)
    let type = try await cloud.owner.head("cat.jpg").contentType
    XCTAssertEqual(type, "image/jpeg")
  }

  @MainActor
  func testMainActorReadsHashesAndSendsNoFile() async throws {
    let cloud = try await PhotoCloud(self)
    let (model, photo) = (cloud.model(), try Camera(self).photo(Self.threeParts))
    model.upload(photo.file, as: "cat.jpg")
    var turns = 0
    while case .uploading = model.photos[0].state {
      turns += 1
      await Task.yield()
    }
    XCTAssertEqual(model.photos, [Photo(id: "cat.jpg", state: .stored)])
    XCTAssertGreaterThan(turns, 10)
    XCTAssertGreaterThan(cloud.transport.sendings.all, 20)
    XCTAssertEqual(cloud.transport.sendings.onMainThread, 0)
  }

  @MainActor
  func testViewsAreToldOfChanges() async throws {
    let cloud = try await PhotoCloud(self)
    let (model, photo) = (cloud.model(), try Camera(self).photo(1000))
    let change = expectation(description: "the list has changed")
    withObservationTracking {
      _ = model.photos
    } onChange: {
      change.fulfill()
    }
    await model.upload(photo.file, as: "cat.jpg").value
    await fulfillment(of: [change], timeout: 60)
  }

  @MainActor
  func testCancelledUploadLeavesNoParts() async throws {
    let cloud = try await PhotoCloud(self)
    let (model, photo) = (cloud.model(), try Camera(self).photo(Self.threeParts))
    cloud.transport.hold("partNumber=3")
    let upload = model.upload(photo.file, as: "cat.jpg")
    try await eventually("two of three parts are sent") { model.photos[0].state == .uploading(0.8) }
    let before = try await cloud.unfinishedUploads()
    XCTAssert(before.contains("<Key>cat.jpg</Key>"), before)
    model.cancel("cat.jpg")
    await upload.value
    XCTAssertEqual(model.photos, [Photo(id: "cat.jpg", state: .cancelled)])
    cloud.transport.release()
    try await eventually("the parts are deleted") {
      try await !cloud.unfinishedUploads().contains("<Key>cat.jpg</Key>")
    }
    XCTAssertEqual(cloud.server.writes(of: .oss, in: "photos"), [:])
    await model.upload(photo.file, as: "cat.jpg").value
    XCTAssertEqual(model.photos, [Photo(id: "cat.jpg", state: .stored)])
  }

  @MainActor
  func testUploadInProgressIsNotStartedAgain() async throws {
    let cloud = try await PhotoCloud(self)
    let (model, photo) = (cloud.model(), try Camera(self).photo(1000))
    let first = model.upload(photo.file, as: "cat.jpg")
    let second = model.upload(photo.file, as: "cat.jpg")
    XCTAssertEqual(first, second)
    await first.value
    XCTAssertEqual(cloud.server.writes(of: .oss, in: "photos"), ["cat.jpg": 1])
  }

  @MainActor
  func testKeysComeFromTheAppServerOnce() async throws {
    let cloud = try await PhotoCloud(self)
    let (model, photo) = (cloud.model(), try Camera(self).photo(1000))
    let uploads = (1...10).map { model.upload(photo.file, as: "cat-\($0).jpg") }
    for upload in uploads { await upload.value }
    XCTAssertEqual(Set(model.photos.map(\.state)), [.stored])
    XCTAssertEqual(cloud.server.statistics[.appServer].issued, 1)
  }

  @MainActor
  func testRejectedLoginIsShownWithoutTheLogin() async throws {
    let cloud = try await PhotoCloud(self)
    let (model, photo) = (cloud.model(login: "login-of-eve"), try Camera(self).photo(1000))
    await model.upload(photo.file, as: "cat.jpg").value
    await model.share("cat.jpg")
    await model.load()
    guard case .failed(let reason) = model.photos[0].state else { return XCTFail("\(model.photos)") }
    for text in [reason, try XCTUnwrap(model.problem)] {
      XCTAssert(text.contains("photo service"), text)
      XCTAssertFalse(text.contains("eve"), text)
    }
    XCTAssertNil(model.link)
    XCTAssertEqual(cloud.server.statistics[.oss].requests, 0)
  }

  @MainActor
  func testLinkLetsOthersReadThePhoto() async throws {
    let cloud = try await PhotoCloud(self)
    let (model, photo) = (cloud.model(), try Camera(self).photo(1000))
    await model.upload(photo.file, as: "cat.jpg").value
    await model.share("cat.jpg")
    let link = try XCTUnwrap(model.link)
    let lifetime = Timestamp.now.duration(to: link.expiration)
    XCTAssert(lifetime > .seconds(800) && lifetime <= .seconds(900), "\(lifetime)")
    let reply = try await AsyncHTTPClientTransport.shared.send(HTTPRequest(link, 0), body: .none)
    var bytes: [UInt8] = []
    for try await chunk in reply.body { bytes += chunk }
    XCTAssertEqual(reply.response.status, .ok)
    XCTAssert(bytes == photo.bytes)
  }

  @MainActor
  func testStoredPhotosAreListed() async throws {
    let cloud = try await PhotoCloud(self)
    for name in ["cat.jpg", "dog.jpg"] { try await cloud.owner.upload([1, 2, 3], to: name) }
    let model = cloud.model()
    await model.load()
    XCTAssertEqual(model.photos, [Photo(id: "dog.jpg", state: .stored), Photo(id: "cat.jpg", state: .stored)])
    XCTAssertNil(model.problem)
  }

  @MainActor
  func testSystemStoresAPhotoWithThePresignedRequestAlone() async throws {
    let cloud = try await PhotoCloud(self)
    let background = ImmediateBackgroundUploads()
    let (model, photo) = (cloud.model(background: background), try Camera(self).photo(1000))
    background.end("dog.jpg")
    await model.uploadInBackground(photo.file, as: "cat.jpg")
    XCTAssertEqual(model.photos, [Photo(id: "cat.jpg", state: .inBackground)])
    let following = Task { await model.followBackgroundUploads() }
    try await eventually("the ends of both uploads are shown") {
      model.photos == [Photo(id: "dog.jpg", state: .stored), Photo(id: "cat.jpg", state: .stored)]
    }
    following.cancel()
    await following.value
    let stored = try await cloud.owner.download("cat.jpg", upTo: 1000)
    XCTAssert(stored == photo.bytes)
    let type = try await cloud.owner.head("cat.jpg").contentType
    XCTAssertEqual(type, "image/jpeg")
  }

  @MainActor
  func testBackgroundSessionStoresAPhoto() async throws {
    let cloud = try await PhotoCloud(self)
    let uploads = SystemUploads(configuration: .ephemeral)
    addTeardownBlock { uploads.finish() }
    let (model, photo) = (cloud.model(background: uploads), try Camera(self).photo(Self.threeParts))
    let following = Task { await model.followBackgroundUploads() }
    await model.uploadInBackground(photo.file, as: "cat.jpg")
    try await eventually("the end of the upload is shown") { model.photos == [Photo(id: "cat.jpg", state: .stored)] }
    following.cancel()
    await following.value
    let stored = try await cloud.owner.download("cat.jpg", upTo: 32 << 20)
    XCTAssert(stored == photo.bytes)
    let type = try await cloud.owner.head("cat.jpg").contentType
    XCTAssertEqual(type, "image/jpeg")
    XCTAssertEqual(cloud.server.statistics[.appServer].issued, 1)
  }

  @MainActor
  func testEndOfAnUploadWaitsForTheNextReader() async throws {
    let cloud = try await PhotoCloud(self)
    let uploads = SystemUploads(configuration: .ephemeral)
    addTeardownBlock { uploads.finish() }
    let (model, photo) = (cloud.model(background: uploads), try Camera(self).photo(1000))
    for name in ["cat.jpg", "dog.jpg"] {
      // The view of the list has disappeared, as after a logout.
      let earlier = Task { await model.followBackgroundUploads() }
      earlier.cancel()
      await earlier.value
      await model.uploadInBackground(photo.file, as: name)
      try await eventually("the photo is stored") { cloud.server.writes(of: .oss, in: "photos")[name] == 1 }
      let following = Task { await model.followBackgroundUploads() }
      try await eventually("the end is shown") { model.photos.first == Photo(id: name, state: .stored) }
      following.cancel()
      await following.value
    }
  }

  @MainActor
  func testRefusalOfABackgroundUploadIsShownWithoutTheURL() async throws {
    let cloud = try await PhotoCloud(self)
    let uploads = SystemUploads(configuration: .ephemeral)
    addTeardownBlock { uploads.finish() }
    let (model, photo) = (cloud.model(background: uploads), try Camera(self).photo(1000))
    let request = try await cloud.owner.presign(.put, "cat.jpg", validFor: .seconds(60))
    let forged = PresignedRequest(
      method: .put, url: request.url.replacing("x-oss-signature=", with: "x-oss-signature=0"),
      headers: request.headers, expiration: request.expiration)
    try await uploads.start(photo.file, with: forged, for: "cat.jpg")
    let following = Task { await model.followBackgroundUploads() }
    try await eventually("the end of the upload is shown") { !model.photos.isEmpty }
    following.cancel()
    await following.value
    guard case .failed(let reason) = model.photos[0].state else { return XCTFail("\(model.photos)") }
    XCTAssert(reason.contains("SignatureDoesNotMatch"), reason)
    XCTAssertFalse(reason.contains("x-oss-signature"), reason)
  }

  @MainActor
  func testKeyThatIsTooShortForTheSystemIsAFailure() async throws {
    let cloud = try await PhotoCloud(self)
    let (model, photo) = (cloud.model(), try Camera(self).photo(1000))
    await model.uploadInBackground(photo.file, as: "cat.jpg", within: .seconds(7200))
    guard case .failed(let reason) = model.photos[0].state else { return XCTFail("\(model.photos)") }
    XCTAssert(reason.contains("photo service"), reason)
  }
}

/// Yields to other tasks until a condition holds, and fails the test after a minute.
@MainActor
func eventually(
  _ what: String, file: StaticString = #filePath, line: UInt = #line, _ condition: () async throws -> Bool
) async throws {
  let deadline = ContinuousClock.now.advanced(by: .seconds(60))
  while ContinuousClock.now < deadline {
    if try await condition() { return }
    await Task.yield()
  }
  XCTFail("condition not met: \(what)", file: file, line: line)
}
