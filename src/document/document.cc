// Document and ParsePages of octavo/document.h.
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <exception>
#include <map>
#include <mutex>
#include <new>
#include <optional>
#include <span>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/str_cat.h"
#include "document/extractor.h"
#include "document/model_card.h"
#include "document/page_ranges.h"
#include "document/pdf.h"
#include "document/quality.h"
#include "octavo/document.h"
#include "vision/image_codec.h"
#include "vision/media_type.h"

namespace octavo {

struct Document::Impl {
  std::string name;            // of the file, or what stands for it
  std::optional<PdfFile> pdf;  // absent: a picture
  // Of a picture, read once: what is done to its file later does no harm.
  std::string bytes;
  std::vector<ImagePage> image_pages;  // of a picture
  int num_pages = 1;
  int dpi = 200;
  std::vector<int> page_indices;
  bool lacks_pages = false;

  void TakePicture(std::string file_bytes) {
    image_pages = ListImagePages(std::as_bytes(std::span(file_bytes)), name);
    num_pages = static_cast<int>(image_pages.size());
    bytes = std::move(file_bytes);
  }

  void ChoosePages(const std::string& ranges) {
    ChosenPages chosen = ChoosePagesOf(ParsePageRanges(ranges), num_pages);
    if (chosen.indices.empty()) {
      throw Error(ErrorCode::kInvalidArgument,
                  StrCat(name, ": found ", num_pages, num_pages == 1 ? " page" : " pages",
                         ", none of --pages ", ranges));
    }
    page_indices = std::move(chosen.indices);
    lacks_pages = chosen.lacks_pages;
  }
};

struct DocumentAccess {
  static bool IsPicture(const Document& document) { return !document.impl_->pdf; }

  // `canceller` may be null.
  static Image Render(const Document& document, int index, const Canceller* canceller, Page* page) {
    const Document::Impl& impl = *document.impl_;
    if (impl.pdf) {
      RenderedPage rendered = impl.pdf->RenderPage(index, impl.dpi, &page->warnings);
      page->width_pt = rendered.width_pt;
      page->height_pt = rendered.height_pt;
      return std::move(rendered.image);
    }
    return Decode(impl, std::as_bytes(std::span(impl.bytes)), index, canceller, page);
  }

 private:
  static Image Decode(const Document::Impl& impl, std::span<const std::byte> bytes, int index,
                      const Canceller* canceller, Page* page) {
    DecodeOptions options;
    if (canceller != nullptr) options.is_cancelled = [canceller] { return canceller->cancelled(); };
    const std::string where =
        impl.num_pages == 1 ? impl.name : StrCat(impl.name, ": page ", index + 1);
    DecodedPicture picture =
        DecodeImagePage(bytes, impl.image_pages[static_cast<size_t>(index)], where, options);
    page->warnings.insert(page->warnings.end(), picture.warnings.begin(), picture.warnings.end());
    return std::move(picture.image);
  }
};

namespace {

using Clock = std::chrono::steady_clock;

double SecondsSince(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// What a file's kind is told by stands at its begin.
constexpr size_t kSniffedBytes = 65536;

// True for a PDF, false for a picture; throws for anything else.
bool SniffIsPdf(std::span<const std::byte> bytes, const std::string& path) {
  if (bytes.empty()) {
    throw Error(ErrorCode::kDataLoss,
                StrCat(path, ": empty_file: 0 bytes, expected PDF, ", kImageFormats));
  }
  // Readers accept a PDF whose header stands anywhere in the first 1024 bytes; but a picture's
  // comment may name one.
  if (!SniffImageFormat(bytes).empty()) return false;
  const std::string_view head(reinterpret_cast<const char*>(bytes.data()),
                              std::min<size_t>(bytes.size(), 1024));
  if (head.find("%PDF-") != std::string_view::npos) return true;
  const std::string_view found = NameMediaType(bytes);
  // HTML is what a server sends instead of the PDF that was asked for.
  throw Error(
      ErrorCode::kUnsupported,
      StrCat(path, found == "HTML" ? ": not_a_pdf: found " : ": unsupported_media: found ",
             found.empty() ? "no known file type" : found, ", expected PDF, ", kImageFormats));
}

void CheckOptions(const ParseOptions& options) {
  if (options.dpi < 36 || options.dpi > 600) {
    throw Error(ErrorCode::kInvalidArgument,
                StrCat("dpi is ", options.dpi, ", expected 36 to 600"));
  }
  CheckSavings(options.savings);
}

}  // namespace

Document::Document(const std::string& path, const ParseOptions& options)
    : impl_(std::make_unique<Impl>()) {
  CheckOptions(options);
  impl_->name = path;
  impl_->dpi = options.dpi;
  const std::string head = ReadFileHead(path, kSniffedBytes);
  if (SniffIsPdf(std::as_bytes(std::span(head)), path)) {
    impl_->pdf.emplace(path, options.password, options.canceller);
    impl_->num_pages = impl_->pdf->num_pages();
  } else {
    impl_->TakePicture(ReadFile(path, kMaxPictureFileBytes));
  }
  impl_->ChoosePages(options.pages);
}

Document Document::FromBytes(std::string bytes, const std::string& name,
                             const ParseOptions& options) {
  CheckOptions(options);
  auto impl = std::make_unique<Impl>();
  impl->name = name;
  impl->dpi = options.dpi;
  if (SniffIsPdf(std::as_bytes(std::span(bytes)), name)) {
    impl->pdf.emplace(PdfFile::FromBytes(bytes, name, options.password, options.canceller));
    impl->num_pages = impl->pdf->num_pages();
  } else {
    impl->TakePicture(std::move(bytes));
  }
  impl->ChoosePages(options.pages);
  return Document(std::move(impl));
}

Document::Document(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}

Document::~Document() = default;
Document::Document(Document&&) noexcept = default;
Document& Document::operator=(Document&&) noexcept = default;

int Document::num_pages() const { return impl_->num_pages; }
const std::vector<int>& Document::page_indices() const { return impl_->page_indices; }
bool Document::lacks_pages() const { return impl_->lacks_pages; }

namespace {

// Pages worked on by several threads and handed over in order by one.
class PagePipeline {
 public:
  PagePipeline(Engine& engine, const Document& document, const std::vector<int>& page_indices,
               const ParseOptions& options)
      : document_(document),
        page_indices_(page_indices),
        options_(options),
        card_(ReadModelCard(engine.info().model_dir)),
        extractor_(engine, card_, options) {}

  void Run(const std::function<void(Page)>& on_page) {
    const auto num_threads = static_cast<size_t>(std::clamp<int64_t>(
        options_.pages_in_flight, 1, std::max<int64_t>(1, std::ssize(page_indices_))));
    window_ = num_threads;
    std::vector<std::jthread> threads;
    // Declared after the threads, so that it runs before they are joined when on_page throws.
    const StopOnExit stop{*this};
    for (size_t i = 0; i < num_threads; ++i) threads.emplace_back([this] { Work(); });
    for (size_t i = 0; i < page_indices_.size(); ++i) {
      std::optional<Page> page = Take(i);
      if (!page) return;
      on_page(std::move(*page));
    }
  }

 private:
  struct StopOnExit {
    PagePipeline& pipeline;
    ~StopOnExit() {
      const std::lock_guard lock(pipeline.mutex_);
      pipeline.is_stopped_ = true;
      pipeline.changed_.notify_all();
    }
  };

  // Position of the next page to begin, or nothing at the end. Waits while finished pages pile up,
  // so that memory does not grow with a slow consumer.
  std::optional<size_t> Claim() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_stopped_ || next_ < num_taken_ + 2 * window_; });
    if (is_stopped_ || next_ >= page_indices_.size()) return std::nullopt;
    return next_++;
  }

  // The finished page at this position; nothing if the work was cancelled.
  std::optional<Page> Take(size_t position) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return is_stopped_ || done_.count(position) > 0; });
    const auto found = done_.find(position);
    if (found == done_.end()) return std::nullopt;
    std::optional<Page> page = std::move(found->second);
    done_.erase(found);
    ++num_taken_;
    changed_.notify_all();
    return page;
  }

  void Work() {
    while (const std::optional<size_t> position = Claim()) {
      std::optional<Page> page = ReadPage(page_indices_[*position]);
      const std::lock_guard lock(mutex_);
      if (page) {
        done_.emplace(*position, std::move(*page));
      } else {
        is_stopped_ = true;
      }
      changed_.notify_all();
    }
  }

  // Nothing if cancelled.
  std::optional<Page> ReadPage(int index) const {
    const Clock::time_point start = Clock::now();
    Page page;
    page.index = index;
    const auto fail = [&](ErrorCode code, const std::string& message) {
      page.blocks.clear();
      page.pictures.clear();
      page.error_code = code;
      page.error = message;
    };
    // Held while a picture is decoded, and on while a large one is read: of these, and of what
    // decoding takes beside the result, there is one in memory at a time.
    constexpr int64_t kLargePixels = 24'000'000;
    std::unique_lock picture_lock(picture_mutex_, std::defer_lock);
    if (DocumentAccess::IsPicture(document_)) picture_lock.lock();
    try {
      const Image image = DocumentAccess::Render(document_, index, options_.canceller, &page);
      if (picture_lock.owns_lock() && int64_t{image.width} * image.height < kLargePixels) {
        picture_lock.unlock();
      }
      page.timings.render_seconds = SecondsSince(start);
      if (options_.canceller != nullptr && options_.canceller->cancelled()) return std::nullopt;
      extractor_.ReadPage(image, &page);
    } catch (const Error& error) {
      if (error.code() == ErrorCode::kCancelled) return std::nullopt;
      fail(error.code(), error.what());
    } catch (const std::bad_alloc&) {
      fail(ErrorCode::kResourceExhausted, "not enough memory for the page");
    } catch (const std::exception& error) {
      // On a thread of its own nothing else may leave; the other pages go on.
      fail(ErrorCode::kDataLoss, StrCat("the page ended unexpectedly: ", error.what()));
    }
    page.timings.total_seconds = SecondsSince(start);
    return page;
  }

  const Document& document_;
  const std::vector<int>& page_indices_;
  const ParseOptions& options_;
  const ModelCard card_;
  const Extractor extractor_;

  mutable std::mutex picture_mutex_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool is_stopped_ = false;
  size_t window_ = 1;
  size_t next_ = 0;       // position that is begun next
  size_t num_taken_ = 0;  // pages handed over
  std::map<size_t, Page> done_;
};

}  // namespace

void ParsePages(Engine& engine, const Document& document, const std::vector<int>& page_indices,
                const ParseOptions& options, const std::function<void(Page)>& on_page) {
  for (const int index : page_indices) {
    if (index < 0 || index >= document.num_pages()) {
      throw Error(ErrorCode::kInvalidArgument,
                  StrCat("page ", index + 1, " of a document with ", document.num_pages()));
    }
  }
  PagePipeline(engine, document, page_indices, options).Run(on_page);
}

}  // namespace octavo
