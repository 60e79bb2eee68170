// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

import Observation
import StorageClient

/// The photos of the user, for the views of the app.
///
/// The methods run on the main actor, which they do not block: the client reads, hashes and sends files on other threads.
@available(iOS 17, tvOS 17, watchOS 10, *)
@MainActor @Observable
final class PhotoModel {
  /// The photos, the latest first.
  private(set) var photos: [Photo] = []

  /// The link to a photo that the user wants to share, or `nil`.
  var link: PresignedRequest?

  /// The reason for which the last listing or link failed, or `nil`.
  var problem: String?

  private let store: any PhotoStore
  private let folder: String
  private let background: any BackgroundUploads
  @ObservationIgnored private var uploads: [Photo.ID: Task<Void, Never>] = [:]

  /// Creates the model of the app's views.
  ///
  /// - Parameters:
  ///   - store: The bucket.
  ///   - folder: The start of the keys of the user's photos.
  ///   - background: The uploads that the system performs.
  init(_ store: any PhotoStore, folder: String, background: any BackgroundUploads) {
    self.store = store
    self.folder = folder
    self.background = background
  }

  /// Shows the user's photos in the bucket.
  func load() async {
    do {
      for try await entry in store.list(prefix: folder) {
        if let name = name(of: entry.name) { show(name, .stored) }
      }
    } catch {
      problem = "\(error)"
    }
  }

  /// Starts to upload a photo, unless it is being uploaded already.
  ///
  /// - Parameters:
  ///   - file: The path of the file.
  ///   - name: The name of the photo.
  /// - Returns: The task that uploads the photo.
  @discardableResult
  func upload(_ file: FilePath, as name: String) -> Task<Void, Never> {
    if let upload = uploads[name] { return upload }
    show(name, .uploading(0))
    let upload = Task {
      await send(file, as: name)
      uploads[name] = nil
    }
    uploads[name] = upload
    return upload
  }

  private func send(_ file: FilePath, as name: String) async {
    do {
      for try await progress in store.uploading(file, to: folder + name) {
        show(name, .uploading(progress.fractionCompleted))
      }
      try Task.checkCancellation()
      show(name, .stored)
    } catch is CancellationError {
      show(name, .cancelled)
    } catch {
      show(name, .failed("\(error)"))
    }
  }

  /// Cancels the upload of a photo.
  ///
  /// - Parameter id: The photo.
  func cancel(_ id: Photo.ID) {
    uploads[id]?.cancel()
  }

  /// Creates a link with which others can see a photo for a limited time.
  ///
  /// - Parameters:
  ///   - id: The photo.
  ///   - duration: The lifetime of the link.
  func share(_ id: Photo.ID, for duration: Duration = .seconds(900)) async {
    do {
      link = try await store.link(.get, folder + id, contentType: nil, validFor: duration)
    } catch {
      problem = "\(error)"
    }
  }

  /// Hands a photo over to the system, which also sends it while the app is suspended.
  ///
  /// The key is requested for the whole duration, so the app's server must issue keys that live as long.
  ///
  /// - Parameters:
  ///   - file: The path of the file, which must exist until the photo is stored.
  ///   - name: The name of the photo.
  ///   - duration: The time within which the system has to start sending the file.
  func uploadInBackground(_ file: FilePath, as name: String, within duration: Duration = .seconds(1500)) async {
    show(name, .inBackground)
    do {
      let request = try await store.link(.put, folder + name, contentType: "image/jpeg", validFor: duration)
      try await background.start(file, with: request, for: folder + name)
    } catch {
      show(name, .failed("\(error)"))
    }
  }

  /// Shows the ends of the user's uploads that the system performs, until the task is cancelled.
  func followBackgroundUploads() async {
    for await result in background.results {
      guard let name = name(of: result.key) else { continue }
      show(name, result.failure.map { .failed($0) } ?? .stored)
    }
  }

  /// Returns the name of the photo with a key, or `nil` for a photo of another user.
  private func name(of key: String) -> String? {
    guard key.utf8.starts(with: folder.utf8) else { return nil }
    return String(decoding: key.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
  }

  private func show(_ id: Photo.ID, _ state: Photo.State) {
    if let index = photos.firstIndex(where: { $0.id == id }) {
      photos[index].state = state
    } else {
      photos.insert(Photo(id: id, state: state), at: 0)
    }
  }
}
