// Part of swift-storage-auth. SPDX-License-Identifier: Apache-2.0

#if canImport(SwiftUI)
  import Foundation
  import StorageClient
  import SwiftUI
  import UniformTypeIdentifiers

  /// The list of the user's photos, with buttons that add one and share one.
  @available(iOS 17, tvOS 17, watchOS 10, *)
  struct PhotoList: View {
    let model: PhotoModel
    @State private var isAdding = false
    @State private var isForBackground = false

    var body: some View {
      List(model.photos) { photo in PhotoRow(photo: photo, model: model) }
        .toolbar {
          Toggle("In the background", isOn: $isForBackground)
          Button("Add", systemImage: "plus") { isAdding = true }
          if let link = model.link, let url = try? link.foundationURL { ShareLink(item: url) }
        }
        .safeAreaInset(edge: .bottom) { if let problem = model.problem { Text(problem) } }
        .fileImporter(isPresented: $isAdding, allowedContentTypes: [.jpeg]) { picked in
          if let file = PickedFile(picked) { file.upload(to: model, inBackground: isForBackground) }
        }
        .task { await model.load() }
        .task { await model.followBackgroundUploads() }
    }
  }
#endif
