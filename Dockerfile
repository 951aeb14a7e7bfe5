# Touchstone for a team: the dashboard without tests, as a user without rights. See docs/deploy.md.
FROM python:3.11-slim-bookworm

# What is copied last changes most.
WORKDIR /opt/touchstone
COPY requirements.txt constraints.txt ./
RUN pip install --no-cache-dir --disable-pip-version-check -r requirements.txt -c constraints.txt

COPY app.py pyproject.toml LICENSE ./
COPY .streamlit/config.toml .streamlit/config.toml
COPY core core
COPY pages pages

# The workspace belongs to the pipelines that write it; give the container their user with `user:` in compose.yaml.
RUN useradd --system --uid 10001 --no-create-home touchstone && mkdir /workspace && chown touchstone /workspace
USER touchstone

# HOME is where Streamlit would look for secrets and settings of its own: there are none.
# TOUCHSTONE_SIGN_IN=required: without an [auth] section in the secrets this server shows nothing to anybody.
ENV HOME=/tmp PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 \
    TOUCHSTONE_WORKSPACE=/workspace TOUCHSTONE_SIGN_IN=required TOUCHSTONE_HOST=localhost

EXPOSE 8501
HEALTHCHECK --interval=10s --timeout=3s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8501/_stcore/health', timeout=2)"]

# TOUCHSTONE_HOST is the name in the reviewers' address bar: WebSockets from pages of another name are refused.
CMD ["sh", "-c", "exec streamlit run app.py --server.port 8501 --server.headless true --server.address 0.0.0.0 \
--browser.serverAddress \"$TOUCHSTONE_HOST\" --secrets.files /run/secrets/touchstone"]
