// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Foundation
  import StorageClient

  /// A copy of a file that the user picked, which the app may read at any time.
  struct PickedFile {
    let path: FilePath
    let name: String

    /// Copies a picked file into the app's own folder, or returns `nil` if there is none that can be read.
    init?(_ picked: Result<URL, any Error>) {
      guard let file = try? picked.get(), file.startAccessingSecurityScopedResource() else { return nil }
      defer { file.stopAccessingSecurityScopedResource() }
      let copy = URL.documentsDirectory.appending(component: "\(UUID()).jpeg")
      guard let bytes = try? Data(contentsOf: file, options: .mappedIfSafe) else { return nil }
      guard (try? bytes.write(to: copy, options: .atomic)) != nil else { return nil }
      path = FilePath(copy.path(percentEncoded: false))
      name = file.lastPathComponent
    }

    @MainActor
    @available(iOS 17, tvOS 17, watchOS 10, *)
    func upload(to model: PhotoModel, inBackground: Bool) {
      guard inBackground else { return _ = model.upload(path, as: name) }
      Task { await model.uploadInBackground(path, as: name) }
    }
  }
#endif
