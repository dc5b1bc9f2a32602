# Builds the image: the supervisor under s6-overlay, as an account of its own, home at /data.
#   docker build -t gatewarden .
# Without the network, from a base that has Node and an init (s6 or tini) already, and a folder
# that scripts/pack.mjs filled:
#   docker build --network none --build-arg BASE_IMAGE=… --build-arg BUILD_IMAGE=… \
#     --build-arg APP=packed --build-arg INIT=base FOLDER
ARG BASE_IMAGE=node:22-bookworm-slim@sha256:43ac6c60b8f89723f746e8a92ce91abd5017e627ce1ddfe4238355d3a30b772c
ARG BUILD_IMAGE=${BASE_IMAGE}

# the program: compiled here, or taken as it is
FROM ${BUILD_IMAGE} AS app
ARG APP=source
WORKDIR /build
COPY . .
RUN if [ "$APP" = source ]; then \
      set -eux; \
      apt-get update; \
      apt-get install -y --no-install-recommends python3 make g++; \
      npm ci; \
      node scripts/build.mjs; \
      node scripts/pack.mjs /out/opt/gatewarden; \
    else \
      mkdir -p /out/opt/gatewarden; \
      cp -R bin dist node_modules package.json src supervisor LICENSE /out/opt/gatewarden/; \
      if [ -d units ]; then cp -R units /out/opt/gatewarden/; fi; \
    fi; \
    cp -R s6-overlay/. /out/; \
    mkdir -p /out/usr/local/bin /out/data; \
    ln -s /opt/gatewarden/bin/gatewarden.js /out/usr/local/bin/gatewarden

# process 1: s6-overlay, or what the base has; then /command is made to look alike
FROM ${BUILD_IMAGE} AS init
ARG INIT=s6-overlay
ARG S6_OVERLAY_VERSION=3.2.3.2
ARG S6_OVERLAY_SOURCE=https://github.com/just-containers/s6-overlay/releases/download/v${S6_OVERLAY_VERSION}
ARG S6_OVERLAY_NOARCH_SHA256=5379750ed30a84bbd2e2dd74847ba6b5bd29cd0b2e3ea2ec58049b57eb2eda12
ARG S6_OVERLAY_X86_64_SHA256=e6befcc96a437a3831386ecfc51808c5d3e939dc5fe3c02ae9284599e8aa2408
ARG S6_OVERLAY_AARCH64_SHA256=b17f17a82e7a515c682a91edaf2ffdabb73f891981b6c1fd712115693a2f8b4c
RUN mkdir -p /out/command; \
    if [ "$INIT" = s6-overlay ]; then \
      set -eux; \
      apt-get update; \
      apt-get install -y --no-install-recommends ca-certificates curl xz-utils; \
      arch=$(uname -m); \
      case $arch in \
        x86_64) sum=$S6_OVERLAY_X86_64_SHA256 ;; \
        aarch64) sum=$S6_OVERLAY_AARCH64_SHA256 ;; \
        *) echo "no checksum for s6-overlay on $arch" >&2; exit 1 ;; \
      esac; \
      cd /tmp; \
      curl -fsSLO --retry 3 "$S6_OVERLAY_SOURCE/s6-overlay-noarch.tar.xz"; \
      curl -fsSLO --retry 3 "$S6_OVERLAY_SOURCE/s6-overlay-$arch.tar.xz"; \
      printf '%s  %s\n' "$S6_OVERLAY_NOARCH_SHA256" s6-overlay-noarch.tar.xz \
        "$sum" "s6-overlay-$arch.tar.xz" | sha256sum -c -; \
      tar -C /out -Jxpf s6-overlay-noarch.tar.xz; \
      tar -C /out -Jxpf "s6-overlay-$arch.tar.xz"; \
    else \
      printf '#!/bin/sh\n%s\n%s\nexec "$@"\n' \
        '# Started by the kernel for scripts that ask for it. Under s6-overlay this reads the' \
        '# environment of the container; without, process 1 has it already.' \
        >/out/command/with-contenv; \
      chmod +x /out/command/with-contenv; \
    fi

FROM ${BASE_IMAGE}
COPY --from=init /out/ /
COPY --from=app /out/ /
# the numbers can be changed at every start (PUID, PGID)
RUN echo 'gatewarden:x:10000:' >>/etc/group; \
    echo 'gatewarden:x:10000:10000::/data:/sbin/nologin' >>/etc/passwd; \
    chown 10000:10000 /data
ENV GATEWARDEN_HOME=/data \
    # a step of /etc/cont-init.d that fails ends the container, with its code
    S6_BEHAVIOUR_IF_STAGE2_FAILS=2 \
    # our own budgets hold: no other clock starts or stops anything
    S6_CMD_WAIT_FOR_SERVICES_MAXTIME=0 \
    S6_VERBOSITY=1
VOLUME /data
WORKDIR /data
STOPSIGNAL SIGTERM
HEALTHCHECK --interval=30s --timeout=15s --start-period=90s --retries=3 \
  CMD ["/usr/local/libexec/gatewarden/healthy"]
ENTRYPOINT ["/usr/local/libexec/gatewarden/entrypoint"]
