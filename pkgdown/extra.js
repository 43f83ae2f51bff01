/* The template takes its menu, clipboard and search scripts from elsewhere. Where these cannot
 * be had (no network), pages do without them instead of failing. */
(function ($) {
  var self = function () { return this; };
  $.fn.headroom = $.fn.headroom || self;
  $.fn.autocomplete = $.fn.autocomplete || self;
  window.ClipboardJS = window.ClipboardJS || { isSupported: function () { return false; } };
  window.Toc = window.Toc || { init: self };
  window.Mark = window.Mark || function () { this.mark = this.unmark = self; };
  window.Fuse = window.Fuse || function () { this.search = function () { return []; }; };
})(window.jQuery);
